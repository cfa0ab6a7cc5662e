//! What follows from a step: first what is committed, then the rest.

use baton_protocol::Event;
use baton_rules::Stage;
use baton_store::{Append, RuleOutcome};

use super::{Actor, Broken, CommandError, Outcome, attached::Source, batch::Batch, story::Line};
use crate::{
    agents::AgentOutput,
    machine::{Effect, Input},
    world::Step,
};

impl Actor {
    /// One translated output, on its way into `batch` or straight to the screen.
    pub(super) async fn agent_output(
        &mut self,
        output: AgentOutput,
        batch: &mut Batch,
        from: Source,
    ) {
        if batch.is_empty()
            && let AgentOutput::Live(live) = output
        {
            self.parts.live.push(self.parts.world.now(), live);
            return;
        }
        let Some(mut output) = self.for_the_host(output, batch, from) else {
            return;
        };
        if let AgentOutput::Started(started) = &mut output {
            started.pid = started.pid.or(from.pid);
        }
        if let AgentOutput::Ask { ask, .. } = &mut output {
            self.weigh(Stage::Asked, ask).await;
        } else if let AgentOutput::Gate { ask, .. } = &mut output {
            self.whereabouts.note(ask);
            self.weigh(Stage::BeforeUse, ask).await;
        } else if let AgentOutput::Event {
            event: Event::ToolRequested(requested),
            ..
        } = &output
        {
            let path = requested.subject.path.as_deref();
            let (id, kind) = (&requested.tool_use_id, requested.tool_kind);
            self.whereabouts.requested(id, kind, path);
        } else if let AgentOutput::ToolResult(result) = &mut output {
            super::whole::read(result).await;
        }
        batch.costs |= matches!(output, AgentOutput::Reply { .. });
        let moment = self.moment();
        if let Ok((_, effects)) = self.parts.machine.step(moment, Input::Agent(output)) {
            batch.add_all(effects, moment.now, Some(from.holder));
        }
    }

    /// Commits what `batch` records, then does the rest of it, in order.
    /// `mark` says that the batch was made from the agent's journal.
    pub(super) async fn commit(&mut self, batch: Batch, mark: bool) -> Result<(), Broken> {
        let mut batch = batch;
        self.record(&mut batch, mark).await?;
        for effect in batch.after {
            self.perform(effect).await?;
        }
        for (holder, request, message) in batch.calls {
            self.call_host(holder, request, message);
        }
        Ok(())
    }

    /// Commits what `batch` records, and takes it out of it.
    pub(super) async fn record(&mut self, batch: &mut Batch, mark: bool) -> Result<(), Broken> {
        self.tell_pool();
        if batch.has_records() {
            let mut append = Append::to(self.parts.id);
            append.create = batch.create.take();
            append.events = std::mem::take(&mut batch.events);
            append.requests = std::mem::take(&mut batch.requests);
            append.blobs = std::mem::take(&mut batch.blobs);
            append.holder = batch.holder.take();
            let rules = std::mem::take(&mut batch.rules).into_iter();
            append.rules = rules.filter_map(|rule| self.rule(rule)).collect();
            if append.create.is_some() {
                append.rules.extend(self.inherited_rules());
            }
            let rules = append.rules.clone();
            if mark && let Some(process) = &self.process {
                append.journal = Some(process.mark(self.parts.machine.notes(self.moment())));
            }
            let turn_over = append
                .events
                .iter()
                .any(|draft| matches!(draft.event, Event::TurnCompleted(_)));
            if turn_over {
                // The log counts it from here on.
                self.parts.purse.set(self.parts.id, None);
            }
            let story: Vec<_> = append
                .events
                .iter()
                .filter_map(|draft| Line::of(&draft.event))
                .collect();
            let committed = self.parts.append(append).await?;
            story.into_iter().for_each(Line::write);
            self.parts.head = committed.last;
            self.parts.pace.committed(committed.last, committed.bytes);
            let added = rules.into_iter().zip(&committed.rules);
            let added = added.filter(|(_, outcome)| matches!(outcome, RuleOutcome::Added(_)));
            let added: Vec<_> = added.map(|(rule, _)| rule).collect();
            self.parts.rules.changed(&added);
            let turn = self.parts.machine.facts().open.turn;
            self.parts
                .live
                .committed(committed.last, turn, &batch.done, turn_over);
            if mark && let Some(process) = &mut self.process {
                process.committed(turn_over);
            }
        }
        Ok(())
    }

    async fn perform(&mut self, effect: Effect) -> Result<(), Broken> {
        if let Effect::Live(live) = effect {
            self.parts.live.push(self.parts.world.now(), live);
            return Ok(());
        }
        self.parts.reaches(Step::Effect);
        match effect {
            Effect::Start => self.start().await?,
            Effect::Tell(command) => self.tell(command).await?,
            Effect::RememberEnd { status, reason } => self.remember_end(status, reason).await?,
            Effect::CloseStdin => self.close_stdin().await?,
            Effect::Kill { has_work } => {
                let distrusted = self.has_lost_trust().await?;
                match &self.process {
                    Some(process) if distrusted || self.outdated => process.destroy(),
                    Some(process) => process.kill_with(has_work),
                    None => {}
                }
            }
            Effect::Settled { request, outcome } => {
                if let Some(reply) = self.waiting.remove(&request) {
                    let outcome = outcome.map(Outcome::Answered).map_err(CommandError::Agent);
                    reply.send(outcome).ok();
                }
            }
            // These were shown above, or committed with the events.
            Effect::Live(_)
            | Effect::Record { .. }
            | Effect::At(_)
            | Effect::AddRule { .. }
            | Effect::Blob { .. }
            | Effect::OpenRequest { .. }
            | Effect::CloseRequest { .. } => {}
        }
        self.parts.reaches(Step::Effect);
        Ok(())
    }
}
