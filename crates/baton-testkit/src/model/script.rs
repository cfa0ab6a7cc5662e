//! Which reply answers which request.

use std::collections::VecDeque;

use super::reply::{Reply, error, text};
use super::request::{Request, RequestKind};

type Matcher = Box<dyn Fn(&Request) -> bool + Send>;
type Responder = Box<dyn FnMut(&Request) -> Option<Reply> + Send>;

/// What a model server answers, decided per request in this order: the rules
/// of [`Script::on`], [`Script::always`] and [`Script::respond`] as they were
/// added, then the CLI's side calls get a harmless text, then the queue of
/// [`Script::reply`]. A request nothing answers is refused with status 400,
/// which the CLI does not retry and shows whole, and is kept in
/// [`super::ModelServer::unscripted`].
#[derive(Default)]
pub struct Script {
    rules: Vec<Rule>,
    queue: VecDeque<Reply>,
}

enum Rule {
    Once { when: Matcher, reply: Option<Reply> },
    Always { when: Matcher, reply: Reply },
    Respond(Responder),
}

impl Script {
    /// An empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Queues a reply for the next conversation request, main or sub-agent.
    #[must_use]
    pub fn reply(mut self, reply: Reply) -> Self {
        self.queue.push_back(reply);
        self
    }

    /// Queues several replies.
    #[must_use]
    pub fn replies(mut self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.queue.extend(replies);
        self
    }

    /// Answers the first request for which `when` holds, once, before the queue is looked at.
    #[must_use]
    pub fn on(mut self, when: impl Fn(&Request) -> bool + Send + 'static, reply: Reply) -> Self {
        self.rules.push(Rule::Once {
            when: Box::new(when),
            reply: Some(reply),
        });
        self
    }

    /// Answers every request for which `when` holds.
    #[must_use]
    pub fn always(
        mut self,
        when: impl Fn(&Request) -> bool + Send + 'static,
        reply: Reply,
    ) -> Self {
        self.rules.push(Rule::Always {
            when: Box::new(when),
            reply,
        });
        self
    }

    /// Lets a function answer; `None` leaves the request to the later rules.
    #[must_use]
    pub fn respond(
        mut self,
        responder: impl FnMut(&Request) -> Option<Reply> + Send + 'static,
    ) -> Self {
        self.rules.push(Rule::Respond(Box::new(responder)));
        self
    }

    /// How many replies nobody has asked for yet.
    pub(crate) fn unused(&self) -> usize {
        let once = |rule: &&Rule| matches!(rule, Rule::Once { reply: Some(_), .. });
        self.queue.len() + self.rules.iter().filter(once).count()
    }

    pub(crate) fn push(&mut self, reply: Reply) {
        self.queue.push_back(reply);
    }

    pub(crate) fn next(&mut self, request: &Request) -> Answer {
        for rule in &mut self.rules {
            let reply = match rule {
                Rule::Once { when, reply } if reply.is_some() && when(request) => reply.take(),
                Rule::Always { when, reply } if when(request) => Some(reply.clone()),
                Rule::Respond(responder) => responder(request),
                Rule::Once { .. } | Rule::Always { .. } => None,
            };
            if let Some(reply) = reply {
                return Answer::Scripted(reply);
            }
        }
        if request.kind == RequestKind::Side {
            return Answer::Scripted(text("ok"));
        }
        match self.queue.pop_front() {
            Some(reply) => Answer::Scripted(reply),
            None => Answer::Unscripted(error(400, "invalid_request_error")),
        }
    }
}

pub(crate) enum Answer {
    Scripted(Reply),
    Unscripted(Reply),
}
