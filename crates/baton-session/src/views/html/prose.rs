//! Markdown as elements of a page. What is HTML in it stays text.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Text as it may stand anywhere in a page.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A text with its elements, each of which is closed.
pub(super) fn prose(text: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut page = String::with_capacity(text.len() * 2);
    let mut open: Vec<&'static str> = Vec::new();
    let mut in_head = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(tag) => {
                in_head |= matches!(tag, Tag::TableHead);
                open.push(begin(&mut page, &tag, in_head));
            }
            Event::End(tag) => {
                in_head &= tag != TagEnd::TableHead;
                page.push_str(open.pop().unwrap_or_default());
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                page.push_str(&escaped(&text));
            }
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                page.push_str("<code dir=\"ltr\">");
                page.push_str(&escaped(&text));
                page.push_str("</code>");
            }
            Event::FootnoteReference(name) => {
                page.push_str("<sup>");
                page.push_str(&escaped(&name));
                page.push_str("</sup>");
            }
            Event::SoftBreak => page.push('\n'),
            Event::HardBreak => page.push_str("<br>\n"),
            Event::Rule => page.push_str("<hr>\n"),
            Event::TaskListMarker(done) => page.push_str(if done { "☑ " } else { "☐ " }),
        }
    }
    while let Some(end) = open.pop() {
        page.push_str(end);
    }
    page
}

/// Begins an element and says how it ends.
fn begin(page: &mut String, tag: &Tag<'_>, in_head: bool) -> &'static str {
    let (begins, ends) = match tag {
        Tag::Paragraph => ("<p dir=\"auto\">", "</p>\n"),
        Tag::Heading { level, .. } => heading(*level),
        Tag::BlockQuote(_) => ("<blockquote>\n", "</blockquote>\n"),
        Tag::CodeBlock(_) => ("<pre tabindex=\"0\" dir=\"ltr\"><code>", "</code></pre>\n"),
        Tag::List(None) => ("<ul>\n", "</ul>\n"),
        Tag::List(Some(first)) => {
            page.push_str(&format!("<ol start=\"{first}\">\n"));
            ("", "</ol>\n")
        }
        Tag::Item | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => {
            ("<li dir=\"auto\">", "</li>\n")
        }
        Tag::FootnoteDefinition(name) => {
            page.push_str(&format!("<div><sup>{}</sup> ", escaped(name)));
            ("", "</div>\n")
        }
        Tag::Table(_) => (
            "<div class=\"wide\" tabindex=\"0\"><table>\n",
            "</table></div>\n",
        ),
        Tag::TableHead => ("<thead><tr>", "</tr></thead>\n"),
        Tag::TableRow => ("<tr>", "</tr>\n"),
        Tag::TableCell if in_head => ("<th dir=\"auto\">", "</th>"),
        Tag::TableCell => ("<td dir=\"auto\">", "</td>"),
        Tag::Emphasis => ("<em>", "</em>"),
        Tag::Strong => ("<strong>", "</strong>"),
        Tag::Strikethrough => ("<del>", "</del>"),
        Tag::Link { dest_url, .. } if leads_on(dest_url) => {
            let to = escaped(dest_url);
            page.push_str(&format!("<a rel=\"noreferrer noopener\" href=\"{to}\">"));
            ("", "</a>")
        }
        // What would be fetched is told by its name.
        Tag::Link { .. } | Tag::Image { .. } => ("<span>", "</span>"),
        Tag::HtmlBlock => ("<p dir=\"ltr\">", "</p>\n"),
        Tag::DefinitionList => ("<ul>\n", "</ul>\n"),
        Tag::Superscript | Tag::Subscript | Tag::MetadataBlock(_) => ("<span>", "</span>"),
    };
    page.push_str(begins);
    ends
}

/// The page's own title is the first; what an answer calls a title is not.
const fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 => ("<h1 dir=\"auto\">", "</h1>\n"),
        HeadingLevel::H2 => ("<h2 dir=\"auto\">", "</h2>\n"),
        HeadingLevel::H3 => ("<h3 dir=\"auto\">", "</h3>\n"),
        HeadingLevel::H4 => ("<h4 dir=\"auto\">", "</h4>\n"),
        HeadingLevel::H5 => ("<h5 dir=\"auto\">", "</h5>\n"),
        HeadingLevel::H6 => ("<h6 dir=\"auto\">", "</h6>\n"),
    }
}

/// A link that runs nothing and reads nothing here.
fn leads_on(to: &str) -> bool {
    let scheme = to.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        ["http", "https", "mailto"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
    })
}
