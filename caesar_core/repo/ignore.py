"""Which paths the user's ignore rules cover."""

from __future__ import annotations

from collections.abc import Sequence

from caesar_core.repo.command import Git, join_nul


def ignored_paths(git: Git, paths: Sequence[bytes]) -> frozenset[bytes]:
    """Return which of these paths the ignore rules cover, whether or not they are tracked.

    Args:
        git: a runner at the top of a work tree.
        paths: relative to it.

    """
    if not paths:
        return frozenset()
    # `check-ignore` takes no literal pathspecs; `./` keeps a leading `:` from being magic.
    plain = git.with_environment(GIT_LITERAL_PATHSPECS="0")
    asked = join_nul([b"./" + path for path in paths])
    words = ("check-ignore", "--no-index", "-z", "--stdin")
    return frozenset(path[2:] for path in plain.items(*words, stdin=asked, ok=(0, 1)))
