//! The agent's list, put together from the calls that change it.
//!
//! One set of tools writes the whole list (`TodoWrite`), the other adds and
//! changes single items (`TaskCreate`, `TaskUpdate`); a new item's number comes
//! with the call's result.

use baton_claude::RawJson;
use baton_protocol::{
    event::{TodoItem, TodoUpdated},
    words::TodoStatus,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Translator, event};
use crate::agents::AgentOutput;

/// A call whose effect is known once it has succeeded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Call {
    Whole(Vec<TodoItem>),
    Create {
        subject: String,
        active_form: Option<String>,
    },
    Update {
        id: String,
        status: Option<TodoStatus>,
        subject: Option<String>,
        deleted: bool,
    },
}

impl Translator {
    /// Remembers what a call will mean.
    pub(super) fn noted(&mut self, id: &str, name: &str, input: &Value) {
        let text = |field: &str| input[field].as_str().map(str::to_owned);
        let call = match name {
            "TodoWrite" => Call::Whole(items(&input["todos"])),
            "TaskCreate" => Call::Create {
                subject: text("subject").unwrap_or_default(),
                active_form: text("activeForm"),
            },
            "TaskUpdate" => Call::Update {
                id: text("taskId").unwrap_or_default(),
                status: input["status"].as_str().and_then(|word| word.parse().ok()),
                subject: text("subject"),
                deleted: input["status"] == "deleted",
            },
            "ExitPlanMode" => {
                self.plan = text("plan").map(|plan| (id.to_owned(), plan));
                return;
            }
            "Bash" | "Agent" | "Task" => {
                if input["run_in_background"].as_bool() == Some(true) {
                    self.background.insert(id.to_owned());
                }
                return;
            }
            _ => return,
        };
        self.todo_calls.insert(id.to_owned(), call);
    }

    pub(super) fn list_call_ended(
        &mut self,
        id: &str,
        detail: Option<&RawJson>,
        is_error: bool,
        out: &mut Vec<AgentOutput>,
    ) {
        let Some(call) = self.todo_calls.remove(id) else {
            return;
        };
        if is_error {
            return;
        }
        match call {
            Call::Whole(items) => self.todo = items,
            Call::Create {
                subject,
                active_form,
            } => {
                let detail: Value = detail
                    .and_then(|detail| detail.parse().ok())
                    .unwrap_or_default();
                let number = detail["task"]["id"].as_str().map(str::to_owned);
                self.todo.push(TodoItem {
                    id: number,
                    content: subject,
                    status: TodoStatus::Pending,
                    active_form,
                });
            }
            Call::Update {
                id, deleted: true, ..
            } => {
                self.todo.retain(|item| item.id.as_deref() != Some(&id));
            }
            Call::Update {
                id,
                status,
                subject,
                ..
            } => {
                let item = self
                    .todo
                    .iter_mut()
                    .find(|item| item.id.as_deref() == Some(&id));
                let Some(item) = item else { return };
                item.status = status.unwrap_or(item.status);
                if let Some(subject) = subject {
                    item.content = subject;
                }
            }
        }
        out.push(event(TodoUpdated {
            items: self.todo.clone(),
        }));
    }
}

fn items(todos: &Value) -> Vec<TodoItem> {
    let todos = todos.as_array().map(Vec::as_slice).unwrap_or_default();
    let item = |todo: &Value| TodoItem {
        id: None,
        content: todo["content"].as_str().unwrap_or_default().to_owned(),
        status: todo["status"]
            .as_str()
            .and_then(|word| word.parse().ok())
            .unwrap_or(TodoStatus::Pending),
        active_form: todo["activeForm"].as_str().map(str::to_owned),
    };
    todos.iter().map(item).collect()
}
