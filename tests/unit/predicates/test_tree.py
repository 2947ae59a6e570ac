"""The hash of a bound tree is computed once, equal for equal trees, and not pickled."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.predicates.tree import BoundAnd, BoundLeaf, BoundOr, Op

INT, STRING = Primitive(Kind.INT, "int"), Primitive(Kind.STRING, "string")


def tree() -> BoundOr:
    name = BoundLeaf(Op.EQ, 1, "name", STRING, ("alder",))
    return BoundOr((name, BoundAnd((BoundLeaf(Op.GT, 2, "id", INT, (3,)), name))))


def test_equal_trees_have_equal_hashes_and_other_trees_are_told_apart() -> None:
    one, other = tree(), tree()
    assert (one == other, hash(one), hash(one)) == (True, hash(other), hash(one))
    leaf = one.children[0]
    assert isinstance(leaf, BoundLeaf)
    later = replace(leaf, values=("birch",))
    assert len({leaf, later, replace(later, values=("alder",))}) == 2


def test_trees_that_differ_in_words_alone_have_other_hashes() -> None:
    """Otherwise the many spellings of one comparison would collide in caches."""
    one, words = tree(), [f"name{' ' * number}= 'alder'" for number in range(100)]
    leaf = one.children[0]
    assert isinstance(leaf, BoundLeaf)
    assert len({hash(replace(one, text=text)) for text in words}) == len(words)
    assert len({hash(replace(leaf, text=text)) for text in words}) == len(words)


def test_a_tree_of_another_process_is_found_among_those_of_this_one() -> None:
    program = (
        "import pickle, sys; from tests.unit.predicates.test_tree import tree; found = tree(); hash(found);"
        "sys.stdout.buffer.write(pickle.dumps(found))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    found = pickle.loads(done.stdout)
    assert (found, hash(found)) == (tree(), hash(tree()))
