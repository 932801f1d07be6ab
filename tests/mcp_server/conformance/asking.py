"""What the conformance suites want asked: tools and a prompt that need a client's answer.

Up to 2025-11-25 a tool asks the client while it runs; from 2026-07-28 on it ends with what it
needs to know, and is called again with the answers.
"""

from __future__ import annotations

import json
from typing import Any

from mcp import MCPError
from mcp.server import MCPServer
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)

from mcp_server.conformance.contents import Ctx, add_tool, shown

Answered = CallToolResult | InputRequiredResult

DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
TITLED = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {
        "type": "array",
        "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
    },
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


def add_asking(server: MCPServer[Any]) -> None:
    """Add all of them to a server."""
    for tool in (
        test_sampling,
        test_elicitation,
        test_elicitation_sep1034_defaults,
        test_elicitation_sep1330_enums,
        test_missing_capability,
        test_streaming_elicitation,
        test_input_required_result_elicitation,
        test_input_required_result_sampling,
        test_input_required_result_list_roots,
        test_input_required_result_request_state,
        test_input_required_result_tampered_state,
        test_input_required_result_multiple_inputs,
        test_input_required_result_multi_round,
        test_input_required_result_capabilities,
    ):
        add_tool(server, tool)
    server.prompt(description="asks first")(test_input_required_result_prompt)


async def test_sampling(ctx: Ctx, prompt: str) -> CallToolResult:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    answer = await ctx.session.create_message(
        [message], max_tokens=100, related_request_id=ctx.request_id
    )
    return shown(f"LLM response: {answer.content.text}")


async def test_elicitation(ctx: Ctx, message: str) -> CallToolResult:
    said = await _elicited(ctx, message, username={"type": "string"}, email={"type": "string"})
    return shown(f"User response: {said}")


async def test_elicitation_sep1034_defaults(ctx: Ctx) -> CallToolResult:
    return shown(f"Elicitation completed: {await _elicited(ctx, 'Correct these', **DEFAULTS)}")


async def test_elicitation_sep1330_enums(ctx: Ctx) -> CallToolResult:
    return shown(f"Elicitation completed: {await _elicited(ctx, 'Choose', **ENUMS)}")


async def _elicited(ctx: Ctx, message: str, **properties: Any) -> str:
    schema = {"type": "object", "properties": properties}
    answer = await ctx.session.elicit(message, schema, related_request_id=ctx.request_id)
    return f"action={answer.action}, content={json.dumps(answer.content)}"


async def test_missing_capability(ctx: Ctx) -> CallToolResult:
    if ctx.client_capabilities is None or ctx.client_capabilities.sampling is None:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "needs sampling", needed)
    return shown("ok")


async def test_streaming_elicitation(ctx: Ctx) -> Answered:
    await ctx.report_progress(1, 2)
    return await test_input_required_result_elicitation(ctx)


def form(message: str, **properties: str) -> ElicitRequest:
    """Return the question for a form, whose fields are given with their types."""
    fields = {name: {"type": kind} for name, kind in properties.items()}
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(prompt: str, max_tokens: int = 100) -> CreateMessageRequest:
    """Return the question for a sample of the client's model."""
    message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


def required(state: str | None = None, **questions: InputRequest) -> InputRequiredResult:
    """Return what is needed to go on."""
    return InputRequiredResult(input_requests=questions, request_state=state)


def answer_to(ctx: Ctx, key: str, kind: type) -> Any:
    """Return a client's answer, None where there is none or another than was asked for."""
    answer = (ctx.input_responses or {}).get(key)
    return answer if isinstance(answer, kind) else None


async def test_input_required_result_elicitation(ctx: Ctx) -> Answered:
    answer = answer_to(ctx, "user_name", ElicitResult)
    if answer is None or not answer.content:
        return required(user_name=form("What is your name?", name="string"))
    return shown(f"Hello, {answer.content['name']}!")


async def test_input_required_result_sampling(ctx: Ctx) -> Answered:
    answer = answer_to(ctx, "capital_question", CreateMessageResult)
    if answer is None:
        return required(capital_question=sample("What is the capital of France?"))
    return shown(answer.content.text)


async def test_input_required_result_list_roots(ctx: Ctx) -> Answered:
    answer = answer_to(ctx, "client_roots", ListRootsResult)
    if answer is None:
        return required(client_roots=ListRootsRequest())
    return shown(", ".join(str(root.uri) for root in answer.roots))


async def test_input_required_result_request_state(ctx: Ctx) -> Answered:
    answer = answer_to(ctx, "confirm", ElicitResult)
    if answer is None or ctx.request_state != "asked":
        return required("asked", confirm=form("Please confirm", ok="boolean"))
    return shown("state-ok")


async def test_input_required_result_tampered_state(ctx: Ctx) -> Answered:
    # the server seals every state, so that nobody can change it on the way
    return await test_input_required_result_request_state(ctx)


async def test_input_required_result_multiple_inputs(ctx: Ctx) -> Answered:
    name = answer_to(ctx, "user_name", ElicitResult)
    greeting = answer_to(ctx, "greeting", CreateMessageResult)
    roots = answer_to(ctx, "client_roots", ListRootsResult)
    if None in (name, greeting, roots):
        return required(
            "asked",
            user_name=form("What is your name?", name="string"),
            greeting=sample("Generate a greeting", 50),
            client_roots=ListRootsRequest(),
        )
    return shown(f"{greeting.content.text} {name.content['name']}, {len(roots.roots)} roots")


async def test_input_required_result_multi_round(ctx: Ctx) -> Answered:
    if ctx.request_state is None:
        return required("1", step1=form("Step 1: What is your name?", name="string"))
    if ctx.request_state == "1":
        return required("2", step2=form("Step 2: What is your favorite color?", color="string"))
    return shown("thanks")


async def test_input_required_result_capabilities(ctx: Ctx) -> Answered:
    can = ctx.client_capabilities
    questions: dict[str, InputRequest] = {}
    if can and can.sampling is not None:
        questions["greeting"] = sample("Generate a greeting")
    if can and can.elicitation is not None:
        questions["user_name"] = form("What is your name?", name="string")
    return required(**questions) if questions else shown("nothing to ask")


async def test_input_required_result_prompt(ctx: Ctx) -> str | InputRequiredResult:
    answer = answer_to(ctx, "user_context", ElicitResult)
    if answer is None:
        return required(user_context=form("What context should the prompt use?", context="string"))
    return f"Context: {answer.content['context']}"
