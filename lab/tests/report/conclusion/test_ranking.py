"""Rankings of figures that doubts bound."""

from evidence.honest_run import GCC, GO, cell_id, honest_run
from result.test_run import disturbed, result_of
from runfair.report.conclusion.ranking import of_cells


def test_a_ratio_without_a_bound_on_either_side_has_no_number() -> None:
    """Both programs may take less time than measured, by an unknown amount."""
    result = result_of(disturbed(disturbed(honest_run(), cell_id(GO)), cell_id(GCC)))
    cells = [one for one in result.cells if (one.size, one.mode) == ("small", "steady")]
    found = of_cells("", cells, ("wall",), ())
    relative = {one.name: one for one in found.ranked}[GO.name]
    assert "not bounded" in relative.row
    assert relative.brief == "not bounded"
