"""The pre-flight check: one setting against thresholds, before anything is indexed. It decides, and prints nothing."""

from chunkscope.preflight.baseline import Baseline as Baseline
from chunkscope.preflight.baseline import read_baseline as read_baseline
from chunkscope.preflight.checking import check as check
from chunkscope.preflight.model import CheckFinding as CheckFinding
from chunkscope.preflight.model import CheckResult as CheckResult
from chunkscope.preflight.thresholds import Threshold as Threshold
from chunkscope.preflight.thresholds import Thresholds as Thresholds
