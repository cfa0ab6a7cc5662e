//! One answer of the model: streamed, then whole, then its tool calls.

use std::time::Duration;

use baton_testkit::directive::{Round, calls};
use serde_json::{Value, json};

use crate::engine::{Abort, Engine, Flow};
use crate::messages;
use crate::output::DeltaLine;
use crate::prompt::Point;
use crate::turn::Turn;

/// Inputs are looked at every so many deltas: often enough to stop a flood
/// within a millisecond, seldom enough not to slow it.
const POLL_EVERY: usize = 256;

impl Engine {
    pub(crate) fn round(&mut self, turn: &mut Turn, round: &Round) -> Flow<()> {
        self.requesting(turn)?;
        if let Some((status, times)) = round.error
            && !self.api_errors(turn, status, times)?
        {
            return Ok(());
        }
        self.start_message(turn)?;
        let mut index = 0;
        if let Some(text) = &round.think {
            self.thinking_block(turn, text)?;
            index += 1;
        }
        let chunks: Option<Vec<String>> = match (round.tokens, &round.say) {
            (Some(count), _) => Some(vec!["tok ".to_owned(); count]),
            (None, Some(text)) => Some(text.split_inclusive(' ').map(str::to_owned).collect()),
            (None, None) => None,
        };
        if let Some(chunks) = chunks {
            self.text_block(turn, index, &chunks, round)?;
            index += 1;
        }
        let offered = messages::tools(self);
        let mut uses = Vec::new();
        for (name, input) in round.tools.iter().flat_map(|tool| calls(tool, offered)) {
            uses.push(self.tool_block(turn, index, name, &input)?);
            index += 1;
        }
        let stop_reason = if uses.is_empty() {
            "end_turn"
        } else {
            "tool_use"
        };
        self.end_answer(stop_reason)?;
        if !uses.is_empty() {
            self.run_tools(turn, &uses)?;
            self.fold_queue()?;
        }
        Ok(())
    }

    /// Status and message start.
    pub(crate) fn begin_answer(&mut self, turn: &mut Turn) -> Flow<()> {
        self.requesting(turn)?;
        self.start_message(turn)
    }

    /// Acknowledgement (in newer versions) and message start.
    fn start_message(&mut self, turn: &mut Turn) -> Flow<()> {
        self.api_calls += 1;
        turn.calls += 1;
        if self.options.version.is_325() {
            self.ack(turn)?;
        }
        let message = json!({
            "id": messages::message_id(self), "type": "message", "role": "assistant",
            "model": messages::api_model(self), "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": messages::usage(1),
        });
        self.event(&json!({"type": "message_start", "message": message}))
    }

    pub(crate) fn end_answer(&mut self, stop_reason: &str) -> Flow<()> {
        let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
        self.event(
            &json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}}),
        )?;
        self.event(&json!({"type": "message_stop"}))
    }

    fn requesting(&mut self, turn: &Turn) -> Flow<()> {
        if self.options.partial {
            let mut fields = json!({"status": "requesting"});
            if self.options.version.is_325() {
                fields["user_message_uuids"] = json!([turn.message.uuid]);
            }
            let line = messages::system(self, "status", fields);
            self.out.line(&line)?;
        }
        Ok(())
    }

    /// Reports failed tries; `false` when there is no answer in the end.
    fn api_errors(&mut self, turn: &mut Turn, status: u16, times: u32) -> Flow<bool> {
        let (error, retried) = match status {
            401 => ("authentication_failed", true),
            403 => ("authentication_failed", false),
            404 => ("model_not_found", false),
            413 => ("invalid_request", false),
            429 => ("rate_limit", true),
            529 => ("overloaded", true),
            500..=599 => ("server_error", true),
            _ => ("unknown", false),
        };
        let max = if retried { self.options.max_retries } else { 0 };
        for attempt in 1..=times.min(max) {
            let line = messages::system(
                self,
                "api_retry",
                json!({
                    "attempt": attempt, "max_retries": max, "retry_delay_ms": 1.5, "error_status": status, "error": error,
                }),
            );
            self.out.line(&line)?;
            self.poll()?;
        }
        if times <= max {
            return Ok(true);
        }
        let text = format!("API Error: {status} scripted");
        let shown = if error == "overloaded" {
            "server_error"
        } else {
            error
        };
        self.fail(turn, &text, shown, Some(status))?;
        Ok(false)
    }

    /// Ends the turn with an error the CLI words itself.
    pub(crate) fn fail(
        &mut self,
        turn: &mut Turn,
        text: &str,
        error: &str,
        status: Option<u16>,
    ) -> Flow<()> {
        self.ack(turn)?;
        let (_, line) = messages::synthetic(self, text, Some(error));
        self.out.line(&line)?;
        turn.failure = Some(json!({
            "subtype": "success", "is_error": true, "api_error_status": status, "num_turns": turn.rounds,
            "result": text, "stop_reason": "stop_sequence", "terminal_reason": "completed",
        }));
        Ok(())
    }

    fn thinking_block(&mut self, turn: &mut Turn, text: &str) -> Flow<()> {
        let start = json!({"type": "thinking", "thinking": "", "signature": ""});
        self.event(&json!({"type": "content_block_start", "index": 0, "content_block": start}))?;
        let mut estimated = 0;
        for chunk in text.split_inclusive(' ') {
            let delta = json!({"type": "thinking_delta", "thinking": chunk});
            self.event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))?;
            estimated += 1;
            self.thinking_tokens(estimated)?;
        }
        let delta = json!({"type": "signature_delta", "signature": "c2lnbmF0dXJl"});
        self.event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))?;
        self.thinking_tokens(estimated + 1)?;
        let block = json!({"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"});
        self.whole_block(turn, 0, &block)
    }

    fn thinking_tokens(&mut self, estimated: u64) -> Flow<()> {
        let fields = json!({"estimated_tokens": estimated, "estimated_tokens_delta": 1});
        let line = messages::system(self, "thinking_tokens", fields);
        Ok(self.out.line(&line)?)
    }

    pub(crate) fn text_block(
        &mut self,
        turn: &mut Turn,
        index: usize,
        chunks: &[String],
        round: &Round,
    ) -> Flow<()> {
        let start = json!({"type": "text", "text": ""});
        self.event(
            &json!({"type": "content_block_start", "index": index, "content_block": start}),
        )?;
        let line = self.delta_line(index);
        for (number, chunk) in chunks.iter().enumerate() {
            if self.options.partial {
                self.out.delta(&line, chunk)?;
            }
            turn.partial.push_str(chunk);
            self.reached(Point::Delta)?;
            if round.slow_ms > 0 {
                self.pause(Duration::from_millis(round.slow_ms))?;
            }
            if round.stall {
                self.hang()?;
            }
            if number % POLL_EVERY == 0 {
                self.poll()?;
            }
        }
        self.poll()?;
        turn.text = std::mem::take(&mut turn.partial);
        let block = json!({"type": "text", "text": turn.text});
        self.whole_block(turn, index, &block)
    }

    pub(crate) fn delta_line(&self, index: usize) -> DeltaLine {
        let tail = if self.options.version.is_325() {
            format!(r#","api_message_id":"{}""#, messages::message_id(self))
        } else {
            String::new()
        };
        DeltaLine::new(index, "text_delta", "text", &self.session, &tail)
    }

    fn tool_block(
        &mut self,
        turn: &mut Turn,
        index: usize,
        name: &str,
        input: &Value,
    ) -> Flow<Value> {
        self.tool_calls += 1;
        let id = format!("toolu_fake_{}_{}", std::process::id(), self.tool_calls);
        let start = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        self.event(
            &json!({"type": "content_block_start", "index": index, "content_block": start}),
        )?;
        let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
        self.event(&json!({"type": "content_block_delta", "index": index, "delta": delta}))?;
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        self.whole_block(turn, index, &block)?;
        Ok(block)
    }

    /// The assistant line of a finished block, then its stop.
    pub(crate) fn whole_block(&mut self, turn: &mut Turn, index: usize, block: &Value) -> Flow<()> {
        self.ack(turn)?;
        let (uuid, mut line) = messages::assistant(self, block, None);
        if self.options.version.is_325() && turn.calls == 1 && index == 0 {
            let uuids = json!({"user_message_uuid": turn.message.uuid, "user_message_uuids": [turn.message.uuid]});
            messages::extend(&mut line, uuids);
        }
        self.out.line(&line)?;
        let mut message = line["message"].take();
        message["stop_reason"] = json!(if block["type"] == "tool_use" {
            "tool_use"
        } else {
            "end_turn"
        });
        let row = json!({"type": "assistant", "message": message, "requestId": line["request_id"]});
        self.transcript.chain(&uuid, row)?;
        self.reached(Point::Assistant)?;
        self.event(&json!({"type": "content_block_stop", "index": index}))
    }

    pub(crate) fn event(&mut self, event: &Value) -> Flow<()> {
        if self.options.partial {
            let line = messages::stream_event(self, event);
            self.out.line(&line)?;
        }
        Ok(())
    }

    /// Waits while listening; an interrupt ends it.
    pub(crate) fn pause(&mut self, time: Duration) -> Flow<()> {
        let until =
            crate::clock::monotonic_nanos() + u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        loop {
            let left = until.saturating_sub(crate::clock::monotonic_nanos());
            if left == 0 {
                return Ok(());
            }
            self.wait_at_most(Duration::from_nanos(left))?;
            self.check_abort()?;
        }
    }

    /// Silent until interrupted or stdin closes, which a stalled CLI would wait out.
    pub(crate) fn hang(&mut self) -> Flow<()> {
        loop {
            self.wait()?;
            if self.eof {
                self.interrupted = Some(Abort::Streaming);
            }
            self.check_abort()?;
        }
    }
}
