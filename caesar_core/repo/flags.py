"""What a reviewer should look at twice, judged by a file's name and numbers. Pure."""

from __future__ import annotations

import posixpath
import re
from typing import Final

LARGE_BYTES: Final = 1_000_000
LARGE_LINES: Final = 5_000

_LOCK_FILES: Final = frozenset(
    {
        "bun.lock",
        "bun.lockb",
        "cargo.lock",
        "composer.lock",
        "flake.lock",
        "gemfile.lock",
        "go.sum",
        "gradle.lockfile",
        "mix.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "package.resolved",
        "packages.lock.json",
        "pdm.lock",
        "pipfile.lock",
        "pnpm-lock.yaml",
        "podfile.lock",
        "poetry.lock",
        "pubspec.lock",
        "uv.lock",
        "yarn.lock",
    }
)
_GENERATED: Final = re.compile(
    r"(^|/)(dist|vendor|node_modules|__snapshots__|third_party)/"
    r"|\.(min\.(js|css)|pb\.go|pb\.cc|pb\.h|g\.dart|map|snap)$"
    r"|_pb2(_grpc)?\.pyi?$|\.generated\.|\.designer\.cs$"
)
_CI: Final = re.compile(
    r"^\.github/(workflows|actions)/|^\.circleci/|^\.buildkite/|^\.gitlab/|^\.ci/|^\.woodpecker/"
    r"|(^|/)(\.gitlab-ci\.ya?ml|jenkinsfile|azure-pipelines\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml"
    r"|bitbucket-pipelines\.ya?ml|appveyor\.ya?ml|\.pre-commit-config\.ya?ml)$"
)
_TESTS: Final = re.compile(
    r"(^|/)(tests?|specs?|__tests__)/"
    r"|(^|/)test_[^/]*$|[^/](_test|_spec|\.test|\.spec)\.[^/.]+$|(^|/)[^/]+tests?\.(java|kt|cs|swift)$"
)


def name_flags(path: str) -> list[str]:
    """Return the flags that a name alone earns: lock_file, generated, ci_config."""
    low = path.lower()
    found = {
        "lock_file": posixpath.basename(low) in _LOCK_FILES,
        "generated": _GENERATED.search(low) is not None,
        "ci_config": _CI.search(low) is not None,
    }
    return [flag for flag, holds in found.items() if holds]


def is_test(path: str) -> bool:
    """Whether a file's name says that it holds tests."""
    return _TESTS.search(path.lower()) is not None


def leaves_tree(path: str, target: str) -> bool:
    """Whether a link at `path` with this target points outside of the tree; by its text alone."""
    if target.startswith("/"):
        return True
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return place == ".." or place.startswith("../")
