"""Questions of an agent and their answers: two small files each (ADR 0007).

The first answer stays. A question whose asker is gone is closed: its place among the answers is
taken by a document without `answer`, which other readers take for no answer.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from caesar_core.clock import Clock, iso
from caesar_core.errors import CaesarError, NotFoundError
from caesar_core.identity import ProcessRef
from caesar_core.ids import check_id, is_safe_id
from caesar_core.store.atomic import StoreError, create_exclusive, read_json, write_atomic
from caesar_core.store.layout import TaskFiles
from caesar_core.store.lock import file_lock

QuestionStatus: TypeAlias = Literal["open", "answered", "closed"]
MAX_QUESTION: Final = 16_000
MAX_ANSWER: Final = 64_000
MAX_OPTIONS: Final = 20
MAX_QUESTIONS: Final = 1_000
MAX_OPTION: Final = 500
_LIMIT: Final = 1 << 20


class BadQuestionError(CaesarError):
    """A question or an answer that cannot be stored: empty or too long."""

    code = "bad_question"


class AlreadyAnsweredError(CaesarError):
    """The question has an answer; the first one stays."""

    code = "already_answered"


class QuestionClosedError(CaesarError):
    """Nobody waits for an answer any more."""

    code = "question_closed"


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """`questions/<id>.json`.

    Attributes:
        asked_at: ISO 8601.
        closes_at: ISO 8601; after it the agent no longer waits. `None`: it waits until its end.
        asker: the process that waits; `None` when it did not say, or in a container of its own.
        default: the answer that will do where nobody can be asked.

    """

    id: str
    question: str
    options: tuple[str, ...] = ()
    asked_at: str = ""
    closes_at: str | None = None
    asker: ProcessRef | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionState:
    """A question and what became of it.

    Attributes:
        answer, answered_at, by: set once it is answered; `by` only when the answerer said who.
        reason: why it was closed.

    """

    file: QuestionFile
    state: QuestionStatus = "open"
    answer: str | None = None
    answered_at: str | None = None
    by: str | None = None
    reason: str | None = None


def ask(
    files: TaskFiles,
    question: str,
    options: Iterable[str],
    clock: Clock,
    closes_at: datetime | None = None,
    asker: ProcessRef | None = None,
    default: str | None = None,
) -> QuestionFile:
    """Store a new question and return it with its id.

    Raises:
        BadQuestionError: the text is empty or too long, or there are too many options.
        StoreError: it cannot be written.

    """
    asked = QuestionFile(
        id=uuid.uuid4().hex,
        question=_checked(question, MAX_QUESTION, "question"),
        options=tuple(_checked(option, MAX_OPTION, "option") for option in options),
        asked_at=iso(clock.now()),
        closes_at=None if closes_at is None else iso(closes_at),
        asker=asker,
        default=None if default is None else _checked(default, MAX_OPTION, "default"),
    )
    if len(asked.options) > MAX_OPTIONS:
        raise BadQuestionError(f"A question has at most {MAX_OPTIONS} options.")
    document: dict[str, Any] = {
        "id": asked.id,
        "question": asked.question,
        "options": list(asked.options),
        "asked_at": asked.asked_at,
    }
    if asked.closes_at is not None:
        document["closes_at"] = asked.closes_at
    if asked.default is not None:
        document["default"] = asked.default
    if asker is not None:
        document["asker"] = {**asker.to_json(), "pid_namespace": _pid_namespace()}
    create_exclusive(files.question(asked.id), _encode(document))
    return asked


def answer(
    files: TaskFiles, question_id: str, text: str, clock: Clock, by: str | None = None
) -> QuestionState:
    """Answer a question; of two answers the first stays.

    Raises:
        NotFoundError: there is no such question.
        AlreadyAnsweredError: says when and, if known, by whom.
        QuestionClosedError: nobody waits for it any more.
        BadQuestionError: the text is empty or too long.
        StoreError: it cannot be written.

    """
    document: dict[str, Any] = {
        "id": question_id,
        "answer": _checked(text, MAX_ANSWER, "answer"),
        "answered_at": iso(clock.now()),
    }
    if by is not None:
        document["by"] = by
    question(files, question_id)
    with file_lock(files.question(question_id), clock=clock):
        found = question(files, question_id)
        if found.state == "open" and _place(files.answer(question_id), document):
            return question(files, question_id)
    raise _refusal(question(files, question_id))


def close(files: TaskFiles, question_id: str, why: str, clock: Clock) -> QuestionState:
    """Close a question that is still open, and return what became of it.

    Raises:
        NotFoundError: there is no such question.
        StoreError: it cannot be written.

    """
    question(files, question_id)
    with file_lock(files.question(question_id), clock=clock):
        if question(files, question_id).state == "open":
            document = {"id": question_id, "closed_at": iso(clock.now()), "reason": why}
            _place(files.answer(question_id), document)
    return question(files, question_id)


def question(files: TaskFiles, question_id: str) -> QuestionState:
    """Return one question and its state.

    Raises:
        NotFoundError: there is no such question, or it is not readable (yet).

    """
    check_id(question_id, "question")
    asked = _read_question(files.question(question_id))
    if asked is None or asked.id != question_id:
        raise NotFoundError(
            f"No question {question_id}.", "`caesar questions` lists what is waiting."
        )
    return _with_answer(asked, _read_object(files.answer(question_id)))


def questions(files: TaskFiles) -> tuple[QuestionState, ...]:
    """Return the readable questions of a task, the oldest first; at most a thousand are read."""
    try:
        paths = (path for path in files.questions.iterdir() if path.suffix == ".json")
        names = [path.stem for path in islice(paths, MAX_QUESTIONS)]
    except OSError:  # none yet, or an agent put something else there
        return ()
    found: list[QuestionState] = []
    for name in names:
        asked = _read_question(files.question(name)) if is_safe_id(name) else None
        if asked is not None and asked.id == name:
            found.append(_with_answer(asked, _read_object(files.answer(name))))
    return tuple(sorted(found, key=lambda state: (state.file.asked_at, state.file.id)))


def _with_answer(asked: QuestionFile, document: Mapping[str, Any]) -> QuestionState:
    text = document.get("answer")
    if isinstance(text, str):
        return QuestionState(
            asked, "answered", text, _text(document, "answered_at"), _text(document, "by")
        )
    if "closed_at" in document:
        return QuestionState(asked, "closed", reason=_text(document, "reason"))
    return QuestionState(asked)


def _refusal(found: QuestionState) -> CaesarError:
    if found.state == "closed":
        return QuestionClosedError(f"The question is closed: {found.reason or 'it is over'}.")
    when = f" at {found.answered_at}" if found.answered_at else ""
    whom = f" by {found.by}" if found.by else ""
    return AlreadyAnsweredError(
        f"The question was answered{when}{whom}.", "The first answer stays."
    )


def _place(path: Path, document: dict[str, Any]) -> bool:
    """Put `document` where the answer belongs; whether it stands there.

    What is there and is not readable (half of an answer whose writer died) is replaced: the lock
    is held, so it is nobody's who still writes by our rules.
    """
    data = _encode(document)
    if create_exclusive(path, data):
        return True
    existing = _read_object(path)
    if isinstance(existing.get("answer"), str) or "closed_at" in existing:
        return False
    write_atomic(path, data)
    return True


def _encode(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False)
    return text.encode("utf-8", "replace") + b"\n"


def _checked(text: str, limit: int, what: str) -> str:
    if not text.strip():
        raise BadQuestionError(f"The {what} is empty.")
    if len(text) > limit:
        raise BadQuestionError(f"The {what} has {len(text)} characters; {limit} are allowed.")
    return text


def _read_object(path: Path) -> Mapping[str, Any]:
    """Return the JSON object of a file; empty when there is none or it is not readable."""
    try:
        document = read_json(path, _LIMIT)
    except (FileNotFoundError, StoreError):
        return {}
    return document if isinstance(document, dict) else {}


def _read_question(path: Path) -> QuestionFile | None:
    document = _read_object(path)
    question_id, text = _text(document, "id"), _text(document, "question")
    options = document.get("options") or []
    if question_id is None or text is None or not isinstance(options, list):
        return None
    return QuestionFile(
        id=question_id,
        question=text[:MAX_QUESTION],
        options=tuple(o[:MAX_OPTION] for o in options[:MAX_OPTIONS] if isinstance(o, str)),
        asked_at=_text(document, "asked_at") or "",
        closes_at=_text(document, "closes_at"),
        asker=_asker(document.get("asker")),
        default=_default(document),
    )


def _asker(value: object) -> ProcessRef | None:
    """Return the process that waits, unless its pid means another process to us."""
    if not isinstance(value, dict) or value.get("pid_namespace") != _pid_namespace():
        return None
    return ProcessRef.from_json(value)


def _pid_namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:  # a system without them
        return ""


def _default(document: Mapping[str, Any]) -> str | None:
    """Return the default where it is an answer that could be given."""
    text = _text(document, "default")
    return text[:MAX_OPTION] if text and text.strip() else None


def _text(document: Mapping[str, Any], name: str) -> str | None:
    value = document.get(name)
    return value if isinstance(value, str) else None
