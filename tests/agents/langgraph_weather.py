"""A LangGraph agent whose chat model is scripted: two tools, then an answer."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def find_city(name: str) -> dict[str, Any]:
    """Find a city."""
    return {"city": name, "country": "France"}


@tool
def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"Sunny in {city}."


def _call(name: str, number: int, /, **arguments: Any) -> AIMessage:
    call = {"name": name, "args": arguments, "id": f"call_{number}", "type": "tool_call"}
    counted = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return AIMessage(content="", tool_calls=[call], usage_metadata=counted)


def _script() -> list[AIMessage]:
    counted = {"input_tokens": 30, "output_tokens": 7, "total_tokens": 37}
    return [
        _call("find_city", 1, name="Paris"),
        _call("get_weather", 2, city="Paris"),
        AIMessage(content="It is sunny.", usage_metadata=counted),
    ]


def _graph() -> Any:
    model = GenericFakeChatModel(messages=iter(_script()))

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", answer)
    graph.add_node("tools", ToolNode([find_city, get_weather]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()


async def ask(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> list[Any]:
    """Return the whole conversation, as LangGraph keeps it."""
    assert tools
    state = await _graph().ainvoke({"messages": messages})
    return state["messages"]


def ask_synchronously(messages: list[dict[str, Any]], _tools: list[dict[str, Any]]) -> Any:
    """Return LangGraph's state as it is."""
    return _graph().invoke({"messages": messages})
