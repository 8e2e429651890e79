"""Labels: whether each quote stands in its document exactly once, and where it does not, why."""

from chunkscope.labels.check import check_labels as check_labels
from chunkscope.labels.check import fix_labels as fix_labels
from chunkscope.labels.model import Evidence as Evidence
from chunkscope.labels.model import Fix as Fix
from chunkscope.labels.model import Labels as Labels
from chunkscope.labels.model import Occurrence as Occurrence
from chunkscope.labels.model import Problem as Problem
from chunkscope.labels.model import ProblemCode as ProblemCode
from chunkscope.labels.model import Resolved as Resolved
