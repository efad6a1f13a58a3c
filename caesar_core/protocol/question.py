"""`questions/<id>.json` and `answers/<id>.json` (specification, "The return channel")."""

from __future__ import annotations

from pydantic import Field

from caesar_core.protocol.document import Part


class QuestionFile(Part):
    """A question as it lies in `questions/`.

    Attributes:
        closes_at: the moment when the agent goes on alone, where the asker knows it.
        default: the answer that will do where nobody can be asked.
    """

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    options: tuple[str, ...] = ()
    asked_at: str
    closes_at: str | None = None
    default: str | None = None


class AnswerFile(Part):
    """An answer as it lies in `answers/`."""

    id: str = Field(min_length=1)
    answer: str
    answered_at: str
