//! How a session is shown: to a person, or as lines for a program.

use baton_protocol::{
    Envelope, LiveFrame,
    event::ApprovalRequested,
    words::{ApprovalKind, Json},
};

use crate::{
    failure::Failure,
    setup::Setup,
    terminal::{RunView, Screen, Style, brief_lines},
};

pub(crate) enum View {
    Json(Screen),
    Person(Box<RunView>),
}

impl View {
    pub(crate) fn new(setup: &Setup, json: bool) -> Self {
        if json {
            Self::Json(Screen::stdout(false))
        } else {
            Self::Person(Box::new(RunView::new(setup)))
        }
    }

    pub(crate) const fn is_spinning(&self) -> bool {
        match self {
            Self::Json(_) => false,
            Self::Person(view) => view.is_spinning(),
        }
    }

    pub(crate) fn tick(&mut self) -> Result<(), Failure> {
        match self {
            Self::Json(_) => Ok(()),
            Self::Person(view) => view.tick(),
        }
    }

    pub(crate) fn event(&mut self, text: &Json, envelope: &Envelope) -> Result<(), Failure> {
        match self {
            Self::Json(screen) => screen.json(text.text()),
            Self::Person(view) => view.event(envelope),
        }
    }

    pub(crate) fn live(&mut self, text: &Json, frame: Option<&LiveFrame>) -> Result<(), Failure> {
        match (self, frame) {
            (Self::Json(screen), _) => screen.json(text.text()),
            (Self::Person(view), Some(frame)) => view.live(&frame.live),
            // A kind of frame that this version does not know.
            (Self::Person(_), None) => Ok(()),
        }
    }

    /// Beside the answer, whoever reads it.
    pub(crate) fn say(&mut self, style: Style, text: &str) -> Result<(), Failure> {
        match self {
            Self::Json(_) => Self::beside(text),
            Self::Person(view) => view.note(style, text),
        }
    }

    /// Something waits for a person who is not here: what it is, and how it is
    /// answered from elsewhere.
    pub(crate) fn waits(
        &mut self,
        called: &str,
        request: &ApprovalRequested,
    ) -> Result<(), Failure> {
        let (tool, risk) = (&request.tool_name, request.risk);
        let what = format!("? {tool} wants an answer ({risk} risk)");
        self.say(Style::Bold, &what)?;
        for line in brief_lines(request) {
            self.say(Style::Dim, &format!("    {line}"))?;
        }
        let id = request.approval_id;
        let answer = match request.kind {
            ApprovalKind::Question => " --answer 'QUESTION=ANSWER'",
            ApprovalKind::Tool | ApprovalKind::Plan | ApprovalKind::Other => "",
        };
        let how = format!(
            "  {called} approve {id}{answer}   or   {called} deny {id}   or on any other screen"
        );
        match self {
            Self::Json(_) => Self::beside(&how),
            Self::Person(view) => view.hint(&how),
        }
    }

    /// To standard error, when the answer's reader is gone.
    pub(crate) fn beside(text: &str) -> Result<(), Failure> {
        Screen::stderr(false).prose(None, text)
    }
}
