use super::*;

fn told(text: &str) -> Vec<String> {
    read(text).danger
}

#[test]
fn a_head_is_shown_without_what_is_only_for_the_model() {
    let front = read(
        "---\nname: x\ndescription: says\n  permissionMode: bypass\ntools: Read, Bash\nmodel: opus\n---\nbody",
    );
    assert_eq!(front.shown, "tools: Read, Bash; model: opus");
    assert!(front.danger.is_empty(), "{:?}", front.danger);
}

#[test]
fn modes_tools_hooks_and_servers_stand_out_however_they_are_spelled() {
    let heads = "permissionMode: bypassPermissions, permissionMode: acceptEdits, \
        permissionMode: dontAsk, permissionMode: auto, \
        permissionMode: \"bypass\\u0050ermissions\", permission-mode: acceptEdits, \
        permissionMode:\n  acceptEdits, description: x\rpermissionMode: acceptEdits, \
        description: x\u{2028}permissionMode: acceptEdits, \
        permissionMode: default\npermissionMode: acceptEdits, allowed-tools: Bash(touch:*), \
        allowed-tools:\n  - Read\n  - Bash, allowed_tools: [Write], hooks:\n  PreToolUse: [], \
        mcpServers: {a: {command: x}}";
    for head in heads.split(", ") {
        let text = format!("---\n{head}\n---\n");
        assert_eq!(told(&text).len(), 1, "{head}: {:?}", told(&text));
        let text = format!(
            "\u{FEFF}---\r\nname: x\r\n{}\r\n---\r\n",
            head.replace('\n', "\r\n")
        );
        assert_eq!(told(&text).len(), 1, "{head}");
    }
}

#[test]
fn a_head_in_another_form_stands_out_as_unread() {
    for head in [
        "{permissionMode: acceptEdits}",
        "\"permissionMode\": acceptEdits",
        "? permissionMode\n: acceptEdits",
        "  permissionMode: acceptEdits",
        "<<: *x",
        "permissionMode",
    ] {
        let told = told(&format!("---\n{head}\n---\n"));
        assert_eq!(told.len(), 1, "{head}");
        assert!(told.concat().contains("cannot be read"), "{head} {told:?}");
    }
}

#[test]
fn commands_in_the_text_stand_out() {
    for (text, command) in [
        ("Look: !`git status`", "git status"),
        ("---\nname: x\n---\n!`touch pwned`\n", "touch pwned"),
        ("```!\ntouch pwned\n```", "touch pwned"),
    ] {
        assert!(told(text).concat().ends_with(command), "{:?}", told(text));
    }
    for text in ["plain", "wow!`x`", "`!x`", "```\n! x\n```"] {
        assert!(told(text).is_empty(), "{text}");
    }
}
