"""What the CLIs are told on their command lines, and what they are not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from caesar_core.agents.base import Agent, ChannelServer, Job
from caesar_core.agents.binary import native_program
from caesar_core.agents.claude import ClaudeAgent
from caesar_core.agents.codex import CodexAgent
from caesar_core.agents.gemini import GeminiAgent

TASK = Path("/w/.caesar/tasks/t_1")
SECRET = "only the brief says this"
WRITE = Job(
    task_id="t_1",
    brief=SECRET,
    brief_file=TASK / "brief.md",
    task_dir=TASK,
    report_path=TASK / "report.json",
    workspace=Path("/w/.caesar/wt/t_1"),
    mode="write",
    network=True,
    model=None,
    role=None,
    deadline_ms=60_000,
    session_id="6de504b3-4c37-42de-8d54-8ef255adcd96",
)
READ = replace(WRITE, mode="read-only", network=False)
CHANNEL = ChannelServer(("/py", "-m", "channel", 'a "b"'), {"KEY": "v"})
AGENTS = (CodexAgent(), ClaudeAgent(), GeminiAgent())
ALL = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.id)


@pytest.fixture(autouse=True)
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))


def after(argv: tuple[str, ...], flag: str) -> str:
    return argv[argv.index(flag) + 1]


def settings(argv: tuple[str, ...]) -> dict[str, str]:
    pairs = (argv[i + 1] for i, word in enumerate(argv) if word == "-c")
    return dict(pair.split("=", 1) for pair in pairs)


@ALL
@pytest.mark.parametrize("job", [WRITE, READ], ids=["write", "read-only"])
def test_the_brief_comes_by_stdin_and_is_nowhere_on_the_command_line(
    agent: Agent, job: Job
) -> None:
    invocation = agent.invoke(job)

    assert invocation.stdin == job.brief_file
    assert SECRET not in " ".join((*invocation.argv, invocation.shown))
    assert invocation.cwd == job.workspace


@ALL
def test_model_only_when_there_is_one_and_extra_arguments_last(agent: Agent) -> None:
    """Case 42."""
    bare = agent.invoke(WRITE).argv
    full = agent.invoke(replace(WRITE, model="big-1", extra=("--x", "y"))).argv

    assert not {"-m", "--model"} & set(bare)
    assert "big-1" in full
    assert full[-2:] == ("--x", "y")


@ALL
def test_files_of_the_task_lie_in_its_directory(agent: Agent) -> None:
    for job in (WRITE, READ, replace(WRITE, channel=CHANNEL)):
        assert all(file.path.is_relative_to(TASK) for file in agent.invoke(job).files)


def test_codex_sandbox_says_the_network_either_way() -> None:
    open_, closed, reading = (
        settings(CodexAgent().invoke(job).argv)
        for job in (WRITE, replace(WRITE, network=False), READ)
    )

    assert open_["sandbox_mode"] == '"workspace-write"'
    assert open_["sandbox_workspace_write.network_access"] == "true"
    assert closed["sandbox_workspace_write.network_access"] == "false"
    assert closed["web_search"] == '"disabled"'
    assert reading["sandbox_mode"] == '"read-only"'
    assert "sandbox_workspace_write.writable_roots" not in reading


def test_codex_reaches_the_task_directory_and_the_added_ones() -> None:
    argv = CodexAgent().invoke(replace(WRITE, add_dirs=(Path("/data"),))).argv

    roots = json.loads(settings(argv)["sandbox_workspace_write.writable_roots"])
    assert roots == [str(TASK), "/data"]


def test_codex_gets_the_channel_only_when_asked_and_quotes_it_as_toml() -> None:
    """Case 41."""
    assert "mcp_servers" not in " ".join(CodexAgent().invoke(WRITE).argv)
    given = settings(CodexAgent().invoke(replace(WRITE, channel=CHANNEL)).argv)

    assert given["mcp_servers.caesar.command"] == '"/py"'
    assert given["mcp_servers.caesar.args"] == '["-m", "channel", "a \\"b\\""]'
    assert given["mcp_servers.caesar.env.CAESAR_TASK_ID"] == '"t_1"'
    assert given["mcp_servers.caesar.required"] == "true"


def test_codex_goes_on_with_a_session() -> None:
    argv = CodexAgent().invoke(replace(WRITE, resume="abc", extra=("-x",))).argv

    assert argv[1:3] == ("exec", "resume")
    assert argv[-3:] == ("abc", "-", "-x")


def test_codex_schema_comes_as_a_file() -> None:
    argv = CodexAgent().invoke(replace(WRITE, schema="{}", schema_file=TASK / "s.json")).argv

    assert after(argv, "--output-schema") == str(TASK / "s.json")


def test_claude_without_questions_in_write_mode_and_without_writing_tools_else() -> None:
    write, read = ClaudeAgent().invoke(WRITE).argv, ClaudeAgent().invoke(READ).argv

    assert after(write, "--permission-mode") == "acceptEdits"
    assert "Bash" in after(write, "--allowedTools").split(",")
    assert after(read, "--permission-mode") == "dontAsk"
    assert not {"Bash", "Edit", "Write"} & set(after(read, "--tools").split(","))
    assert "--strict-mcp-config" in read
    assert "--dangerously-skip-permissions" not in write


def test_claude_gets_the_channel_as_a_file_of_the_task() -> None:
    invocation = ClaudeAgent().invoke(replace(READ, channel=CHANNEL))
    (file,) = invocation.files

    server = json.loads(file.text)["mcpServers"]["caesar"]
    assert server["command"] == "/py"
    assert server["env"] == {"KEY": "v"}
    assert after(invocation.argv, "--mcp-config") == str(file.path)
    assert "mcp__caesar" in after(invocation.argv, "--allowedTools").split(",")
    assert invocation.env["ENABLE_TOOL_SEARCH"] == "false"


def test_claude_session_is_found_from_another_folder(tmp_path: Path) -> None:
    kept = tmp_path / ".claude" / "projects" / "-w" / "abc.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text("")

    assert after(ClaudeAgent().invoke(WRITE).argv, "--session-id") == WRITE.session_id
    assert after(ClaudeAgent().invoke(replace(WRITE, resume="abc")).argv, "--resume") == str(kept)
    assert after(ClaudeAgent().invoke(replace(WRITE, resume="xyz")).argv, "--resume") == "xyz"


def test_claude_retries_are_bounded_unless_the_user_says_how(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ClaudeAgent().invoke(WRITE).env["CLAUDE_CODE_MAX_RETRIES"] == "5"
    monkeypatch.setenv("CLAUDE_CODE_MAX_RETRIES", "1")
    assert ClaudeAgent().invoke(WRITE).env["CLAUDE_CODE_MAX_RETRIES"] == "1"


def test_gemini_reads_under_a_policy_of_ours() -> None:
    reading, writing = GeminiAgent().invoke(READ), GeminiAgent().invoke(WRITE)
    (policy,) = reading.files

    assert after(reading.argv, "--admin-policy") == str(policy.path)
    assert '"run_shell_command"' not in policy.text
    assert after(writing.argv, "--approval-mode") == "yolo"
    assert writing.files == ()


def test_gemini_session_is_found_from_another_folder(tmp_path: Path) -> None:
    kept = tmp_path / ".gemini" / "tmp" / "p" / "chats" / "session-2026-12-01-6de504b3.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text("")

    argv = GeminiAgent().invoke(replace(WRITE, resume=WRITE.session_id)).argv
    assert after(argv, "--session-file") == str(kept)
    assert after(GeminiAgent().invoke(replace(WRITE, resume="xyz")).argv, "--resume") == "xyz"


def test_the_native_binary_is_run_instead_of_its_launcher(tmp_path: Path) -> None:
    modules = tmp_path / "lib" / "node_modules"
    launcher = modules / "@x" / "tool" / "bin" / "tool.js"
    native = modules / "@x" / "tool-any" / "tool"
    for path in (launcher, native):
        path.parent.mkdir(parents=True)
        path.write_text("")
        path.chmod(0o755)
    assert native_program("tool", "@x/tool-any/tool") == "tool"
    (tmp_path / "tool").symlink_to(launcher)

    assert native_program("tool", "@x/tool-any/tool") == str(native)
    native.chmod(0o644)
    assert native_program("tool", "@x/tool-any/tool") == "tool"
