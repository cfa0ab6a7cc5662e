//! A conversation as a page to read anywhere: one file, nothing that runs,
//! nothing that is fetched.
//!
//! The words are those of [`Markdown`]. Whatever an agent, a tool or a person
//! wrote is text: only what [`prose()`] makes is an element, and the page's own
//! policy forbids the rest.

mod prose;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_protocol::{BlobId, Event, SessionId};
use ring::digest::{SHA256, digest};

use super::Markdown;
use prose::{escaped, prose};

const STYLE: &str = include_str!("html/page.css");

/// The largest picture that is put in, and all of them together.
const PICTURE: u64 = 4 << 20;
const PICTURES: u64 = 24 << 20;

/// A page on its way.
#[derive(Debug, Default)]
pub struct Html {
    words: Markdown,
    pictures: u64,
}

/// A picture that an event names, to be put into the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub id: BlobId,
    media_type: &'static str,
    name: String,
}

impl Html {
    /// What stands before everything.
    pub fn begins(title: &str) -> String {
        let hash = STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
        let title = escaped(title);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             img-src data:; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        )
    }

    /// What stands after everything, with what still waits.
    pub fn ends(self) -> String {
        let mut page = String::new();
        for text in self.words.rest() {
            page.push_str(&section("you", &text));
        }
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    /// What a reader wants to see of an event.
    pub fn show(&mut self, title: &str, event: &Event) -> Option<String> {
        let text = self.words.show(title, event)?;
        Some(section(kind(event), &text))
    }

    /// The same of what a fork began with.
    pub fn show_past(&mut self, event: &Event) -> Option<String> {
        let text = self.words.show_past(event)?;
        Some(section(kind(event), &text))
    }

    /// Stands before what is another session's.
    pub fn from_source(session: SessionId) -> String {
        section("note", &Markdown::from_source(session))
    }

    /// Stands where a fork's own log begins.
    pub fn forked() -> String {
        section("note", Markdown::FORKED)
    }

    /// Pictures of an event that there is room for.
    pub fn pictures(&mut self, event: &Event) -> Vec<Picture> {
        let mut found = Vec::new();
        let mut take = |id, media_type: &str, bytes: u64, name: &str| {
            let Some(media_type) = plain_picture(media_type) else {
                return;
            };
            if bytes > PICTURE || self.pictures + bytes > PICTURES {
                return;
            }
            self.pictures += bytes;
            found.push(Picture {
                id,
                media_type,
                name: name.to_owned(),
            });
        };
        if let Event::ImageOutput(image) = event {
            take(
                image.image_id,
                &image.media_type,
                image.bytes,
                "An image of the agent",
            );
        } else if let Event::UserMessage(message) = event {
            for file in &message.attachments {
                if let Some(id) = file.blob_id {
                    take(id, &file.media_type, file.bytes, &file.name);
                }
            }
        }
        found
    }

    /// A picture with its bytes.
    pub fn picture(picture: &Picture, bytes: &[u8]) -> String {
        if bytes.len() as u64 > PICTURE {
            return String::new();
        }
        format!(
            "<figure><img alt=\"{}\" src=\"data:{};base64,{}\"></figure>\n",
            escaped(&picture.name),
            picture.media_type,
            STANDARD.encode(bytes)
        )
    }
}

/// Images as what they are; SVG and the like can run.
fn plain_picture(media_type: &str) -> Option<&'static str> {
    let known = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    known.into_iter().find(|known| *known == media_type)
}

fn kind(event: &Event) -> &'static str {
    if matches!(event, Event::UserMessage(_) | Event::MessageDelivered(_)) {
        return "you";
    }
    if matches!(event, Event::AssistantMessage(_)) {
        return "agent";
    }
    if matches!(event, Event::AssistantThinking(_)) {
        return "thought";
    }
    if matches!(event, Event::ToolCompleted(_)) {
        return "output";
    }
    if matches!(
        event,
        Event::ApprovalRequested(_) | Event::ApprovalResolved(_)
    ) {
        return "asked";
    }
    if matches!(event, Event::Error(_)) {
        return "error";
    }
    "note"
}

/// A paragraph in its frame. Long ones that few read are folded.
fn section(kind: &str, text: &str) -> String {
    let folded = match kind {
        "thought" => Some("Thought"),
        "output" => Some("Output"),
        _ => None,
    };
    let text = prose(text.trim_end());
    match folded {
        Some(what) => {
            format!("<details class=\"{kind}\"><summary>{what}</summary>\n{text}</details>\n")
        }
        None => format!("<section class=\"{kind}\">\n{text}</section>\n"),
    }
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
