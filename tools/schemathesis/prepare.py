"""Makes one of everything that a path can name, and tells schemathesis their ids.

Without them nearly every request names nothing, and only the 404 is tried. What
an operation ends or removes is its own, so that the others still find theirs.

usage: prepare.py URL TOKEN FOLDER OTHER_FOLDER > schemathesis.toml
"""

import json
import sys
import time
import urllib.request

url, token, folder, other = sys.argv[1:]
LIMIT_S = 60


def ask(method, path, body=None, data=None):
    headers = {"Authorization": f"Bearer {token}"}
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(url + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def session(slug, prompt, state="idle"):
    body = {"agent": "demo", "prompt": prompt}
    made = ask("POST", f"/api/v1/projects/{slug}/sessions", body)["id"]
    until = time.monotonic() + LIMIT_S
    while ask("GET", f"/api/v1/sessions/{made}")["state"] != state:
        assert time.monotonic() < until, f"{made} is never {state}"
        time.sleep(0.05)
    return made


def ended(slug):
    made = session(slug, "text")
    ask("POST", f"/api/v1/sessions/{made}/stop", {})
    return made


def of_events(name, kind, field):
    page = ask("GET", f"/api/v1/sessions/{name}/events?limit=5000")
    return [one["payload"][field] for one in page["events"] if one["type"] == kind]


def device():
    body = {"token": token, "name": "one of many"}
    return ask("POST", "/api/v1/auth/login", body)["device"]["id"]


def rule():
    body = {"rule": "Bash(tool:*)", "decision": "ask", "scope": "user"}
    return ask("POST", "/api/v1/rules", body)["id"]


slug = ask("POST", "/api/v1/projects", {"path": folder})["slug"]
gone = ask("POST", "/api/v1/projects", {"path": other})["slug"]
rich = session(slug, "tools and an image")
waiting = session(slug, "approval", "waiting")
busy = session(slug, "approval", "waiting")
queued = {"text": "later", "queue": True}
messages = [ask("POST", f"/api/v1/sessions/{busy}/messages", queued)["messageId"]]
approvals = [one["approval"]["approvalId"] for one in ask("GET", "/api/v1/approvals")["items"]]

steered = session(slug, "text")
doomed = ended(slug)
everywhere = {
    "path.id": rich,
    "path.slug": slug,
    "path.messageId": messages[0],
    "path.approvalId": approvals[0],
    "path.toolUseId": of_events(rich, "tool.completed", "toolUseId")[0],
    "path.imageId": of_events(rich, "image.output", "imageId")[0],
    "path.ruleId": rule(),
    "path.deviceId": device(),
}
# Operations that have something of their own.
own = {
    "deleteSession": {"path.id": doomed},
    "stop": {"path.id": steered},
    "resume": {"path.id": steered},
    "approve": {"path.id": waiting},
    "takeBack": {"path.id": busy},
    "removeProject": {"path.slug": gone},
}


def table(values):
    return ", ".join(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in values.items())


print(f"parameters = {{{table(everywhere)}}}")
for operation, values in own.items():
    print(f'\n[[operations]]\ninclude-operation-id = "{operation}"')
    print(f"parameters = {{{table(values)}}}")
