"""``toolgauge run``: ask models the cases of suites, and show what came of it."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolgauge.cli.stored import Scorers

if TYPE_CHECKING:
    from toolgauge.cli.progress import Watcher
    from toolgauge.service.evaluations import Evaluated
    from toolgauge.service.runs import Prepared, RunRequest
    from toolgauge.settings import Settings

Choice = Literal["required", "auto", "none"]


def run(
    suites: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUITE...", help="Suite files, folders or globs."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="TARGET",
            help="provider/model, a name from .toolgauge.yml, builtin/lexical, replay/FILE or "
            "python:module:callable; several times for several.",
        ),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="How often each case is asked.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, max=1000, help="Requests in flight per provider.")
    ] = 8,
    tool_choice: Annotated[
        Choice | None, typer.Option(help="In place of the suite's default.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="In place of the suite's.")
    ] = None,
    system_prompt: Annotated[
        str | None, typer.Option(help="Sent with every case that has none of its own.")
    ] = None,
    api_base: Annotated[
        str | None, typer.Option(help="Address of the models' server (http://…/v1).")
    ] = None,
    embedding_model: Annotated[str | None, typer.Option(help="For the mode 'semantic'.")] = None,
    min_score: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit with 1 where a target's overall is below."),
    ] = None,
    scorer: Scorers = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the result file here.")
    ] = None,
    experiment: Annotated[
        str | None, typer.Option(metavar="NAME", help="Link the runs to this experiment.")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="RUN_ID", help="Finish this run; nothing finished is asked again."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, metavar="USD", help="Stop before a run costs more.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked and cost; ask nothing.")
    ] = False,
    cache: Annotated[
        bool, typer.Option("--cache", help="Use stored replies, and store new ones.")
    ] = False,
    cache_only: Annotated[
        bool, typer.Option("--cache-only", help="Use stored replies, and never ask.")
    ] = False,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Where runs are kept (sqlite:///FILE).")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="The project file, in place of .toolgauge.yml.")
    ] = None,
    failures: Annotated[int, typer.Option(min=0, help="How many failing cases to show.")] = 20,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result file to stdout.")
    ] = False,
) -> int:
    """Ask models the cases of suites; show means, errors and failing cases.

    Every trial is kept as it finishes. Try it without a key:
    toolgauge run suites/everyday_tools.yaml -m builtin/lexical
    """
    from toolgauge.model.run import RunOptions
    from toolgauge.service.runs import RunRequest
    from toolgauge.settings import Settings

    request = RunRequest(
        suites=tuple(suites or ()),
        targets=tuple(model or ()),
        options=RunOptions(
            repeats=repeats,
            tool_choice=tool_choice,
            temperature=temperature,
            system_prompts={} if system_prompt is None else {"_global": system_prompt},
            embedding_model=embedding_model,
            concurrency=concurrency,
        ),
        api_base=api_base,
        config=config,
        experiment=experiment,
        max_cost_usd=max_cost,
        cache="only" if cache_only else "read-write" if cache else "off",
    )
    shown = Shown(out, as_json=as_json, failures=failures, min_score=min_score)
    command = RunCommand(
        request, Settings.from_env(), shown, database=database, scorers=tuple(scorer or ())
    )
    if dry_run:
        return command.estimate()
    return command.resume(resume) if resume else command.start()


@dataclass(frozen=True, slots=True)
class Shown:
    """What the caller wants to see of the runs."""

    out: Path | None = None
    as_json: bool = False
    failures: int = 20
    min_score: float | None = None


class RunCommand:
    """One ``toolgauge run``: begin or resume, show, and answer with the exit code."""

    def __init__(
        self,
        request: RunRequest,
        settings: Settings,
        shown: Shown,
        *,
        database: str | None,
        scorers: tuple[str, ...] = (),
    ) -> None:
        self._request = request
        self._settings = settings
        self._shown = shown
        self._database = database
        self._scorers = scorers
        self._run_ids: tuple[str, ...] = ()

    def start(self) -> int:
        """Ask the suites of the request."""
        from toolgauge.cli.loop import run_async
        from toolgauge.cli.output import print_warnings
        from toolgauge.service.runs import check_keys, prepare

        prepared = run_async(partial(prepare, self._request, self._settings))
        check_keys(prepared, self._settings)
        for one in prepared:
            print_warnings(one.file, one.warnings)
        return self._ask(prepared)

    def resume(self, run_id: str) -> int:
        """Finish a stored run."""
        self._run_ids = (run_id,)
        return self._ask(())

    def estimate(self) -> int:
        """Say what ``start`` would ask and cost."""
        from toolgauge.cli.loop import run_async
        from toolgauge.cli.output import console, print_json
        from toolgauge.report.listings import estimate_table
        from toolgauge.service.estimates import estimate
        from toolgauge.service.runs import prepare

        prepared = run_async(partial(prepare, self._request, self._settings))
        found = run_async(
            partial(estimate, prepared, self._settings, self._database, self._request.cache)
        )
        if self._shown.as_json:
            print_json({"items": [asdict(one) for one in found]})
        else:
            console().print(estimate_table(found))
        return 0

    def _ask(self, prepared: tuple[Prepared, ...]) -> int:
        from toolgauge.cli.loop import run_async
        from toolgauge.cli.progress import watching
        from toolgauge.service.runs import unmeasured

        try:
            with watching() as watcher:
                evaluated = run_async(partial(self._run, prepared, watcher))
        except KeyboardInterrupt:
            self._say_how_to_resume()
            raise
        if not self._shown.as_json:
            self._print(evaluated)
        if problem := unmeasured(evaluated):
            raise problem
        self._say_what_is_missing(evaluated)
        return _exit_code(evaluated, self._shown.min_score)

    async def _run(self, prepared: tuple[Prepared, ...], watcher: Watcher) -> tuple[Evaluated, ...]:
        from toolgauge.service import runs, wiring
        from toolgauge.service.evaluations import run_to_ask
        from toolgauge.service.project import open_project
        from toolgauge.service.scorers import load_scorers

        request = self._request
        roots = open_project(request.config).import_roots
        asking = runs.Asking(
            max_cost_usd=request.max_cost_usd,
            cache=request.cache,
            api_base=request.api_base,
            scorers=load_scorers(self._scorers, roots),
            import_roots=roots,
        )
        async with wiring.open_store(self._settings, self._database) as database:
            started = await runs.start_runs(database, prepared, experiment=request.experiment)
            resumed = [await run_to_ask(database, run_id) for run_id in self._run_ids]
            self._run_ids = tuple(one.id for one in (*started, *resumed))
            evaluated = await runs.ask_runs(
                database,
                (*started, *resumed),
                self._settings,
                emit=watcher.on_event,
                asking=asking,
            )
            if self._shown.out:
                await runs.write_results(self._shown.out, database, self._run_ids)
            if self._shown.as_json:
                await runs.dump(database, self._run_ids, sys.stdout)
        return evaluated

    def _print(self, evaluated: tuple[Evaluated, ...]) -> None:
        from toolgauge.cli.output import console
        from toolgauge.report.terminal import failure_table, run_table

        screen = console()
        for one in evaluated:
            screen.print(run_table(one.run, delta=one.delta))
            if one.failing and self._shown.failures:
                screen.print(failure_table(one.failing, most=self._shown.failures))

    def _say_how_to_resume(self) -> None:
        from toolgauge.cli.output import print_note

        for run_id in self._run_ids:
            print_note(f"what was finished is kept; go on with: toolgauge run --resume {run_id}")

    def _say_what_is_missing(self, evaluated: tuple[Evaluated, ...]) -> None:
        from toolgauge.cli.output import print_note

        for one in evaluated:
            if one.not_run:
                print_note(
                    f"run {one.run.id} is {one.run.status}: {one.not_run} trials were not run, of "
                    f"{', '.join(one.missing_cases[:10])}. Go on with: "
                    f"toolgauge run --resume {one.run.id}"
                )


def _exit_code(evaluated: tuple[Evaluated, ...], min_score: float | None) -> int:
    from toolgauge.cli.output import print_error

    low = [
        f"{one.run.suite_name}: {summary.target} scored {summary.score:.3f}, below {min_score:g}"
        for one in evaluated
        for summary in one.run.summaries
        if min_score is not None and summary.score is not None and summary.score < min_score - 1e-9
    ]
    if low:
        print_error("\n".join(low), kind="below_min_score")
    return 1 if low else 0
