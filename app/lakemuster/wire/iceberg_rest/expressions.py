"""Parse and write Iceberg expressions as JSON: the filters of clients, and the residuals returned to them.

Two grammars are accepted. The older one has ``term`` and ``value``; a term is a name or a transform. All present
clients write it, and can read no other. The newer one has ``left``, ``right`` and ``child``, which are literals,
references or applied functions. Residuals are written in the older one.

The parts: ``expressions_read`` (predicates), ``expressions_values`` (references, literals, functions),
``expressions_nodes`` (members, places, limits), ``expressions_shallow`` (nesting), ``expressions_write`` (residuals).

Source: Iceberg's expressions specification, appendix B; Java's ``ExpressionParser``.
"""

from lakemuster.wire.iceberg_rest.expressions_read import parse_expression
from lakemuster.wire.iceberg_rest.expressions_shallow import shallow
from lakemuster.wire.iceberg_rest.expressions_write import emit_expression

__all__ = ["emit_expression", "parse_expression", "shallow"]
