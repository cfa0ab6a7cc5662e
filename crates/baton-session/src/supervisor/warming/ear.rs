//! What a process says while it waits. It asks what its host has for tools before
//! it says that it is up, and is told; its session reads all of it again.

use std::sync::Arc;

use baton_process::{Line, LineSplitter, holder::HolderWriter};
use tokio::task::JoinSet;

use crate::{
    agents::{AgentCommand, AgentKind, AgentOutput, Translator},
    host::{Caller, Host, MAX_CALLS, acts, answered},
    machine::Facts,
};

pub(super) struct Ear {
    translator: Translator,
    splitter: LineSplitter,
    host: Option<(Arc<dyn Host>, Caller)>,
    answers: JoinSet<AgentCommand>,
}

impl Ear {
    pub(super) fn new(kind: AgentKind, host: Option<(Arc<dyn Host>, Caller)>) -> Self {
        Self {
            translator: Translator::new(kind, &Facts::default()),
            splitter: LineSplitter::default(),
            host,
            answers: JoinSet::new(),
        }
    }

    pub(super) async fn tell(&mut self, command: &AgentCommand, writer: &mut HolderWriter) {
        for line in self.translator.command(command) {
            writer.line(&line).await.ok();
        }
    }

    /// Takes in what it says. Says whether it is up.
    pub(super) fn hear(&mut self, bytes: &[u8]) -> bool {
        let mut outputs = Vec::new();
        let mut at = 0;
        while let Some(split) = self.splitter.next(&bytes[at..]) {
            at += split.consumed;
            if let Line::Whole(line) | Line::Unfinished(line) = split.line {
                self.translator.line(line, &mut outputs);
            }
        }
        for output in outputs {
            self.ask(output);
        }
        self.translator.is_ready()
    }

    /// What there is it may know. A call that does something is the session's.
    fn ask(&mut self, output: AgentOutput) {
        let AgentOutput::HostMessage {
            request,
            server,
            message,
        } = output
        else {
            return;
        };
        let Some((host, caller)) = &self.host else {
            return;
        };
        if server != host.server() || acts(&message) || self.answers.len() >= MAX_CALLS {
            return;
        }
        let answer = host.answer(caller, message.clone());
        self.answers.spawn(async move {
            let answer = answered(answer, &message).await;
            AgentCommand::HostAnswer { request, answer }
        });
    }

    /// The next answer of its host. Cancel-safe.
    pub(super) async fn answer(&mut self) -> AgentCommand {
        loop {
            match self.answers.join_next().await {
                Some(Ok(answer)) => return answer,
                Some(Err(_)) => {}
                None => std::future::pending().await,
            }
        }
    }
}
