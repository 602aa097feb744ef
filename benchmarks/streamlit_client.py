"""A browser's side of Streamlit's websocket, without the browser: press, type, read what comes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

PATIENCE = 60.0
"""Seconds after which a run that has not ended counts as lost."""

DONE = ForwardMsg.FINISHED_SUCCESSFULLY
GOES_ON = ForwardMsg.FINISHED_EARLY_FOR_RERUN


@dataclass
class Session:
    """One tab: `widgets` are the ids on screen, `errors` what it was told, `seen` all its frames'
    words that `watch` was asked to look for."""

    port: int
    page: str = ""
    cookie: str = ""
    widgets: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)
    _cache: dict[str, ForwardMsg] = field(default_factory=dict)
    _socket: ClientConnection | None = None

    async def open(self) -> None:
        """Connect and run the page for the first time."""
        self._socket = await connect(
            f"ws://127.0.0.1:{self.port}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers={"Cookie": self.cookie} if self.cookie else {},
            max_size=None,
            compression=None,
        )
        await self.run()

    async def close(self) -> None:
        """Close the tab."""
        if self._socket is not None:
            await self._socket.close()

    async def run(self, press: str = "", texts: dict[str, str] | None = None) -> None:
        """Press a button and send what stands in text areas, by keys; wait for the run's end."""
        message = BackMsg()
        message.rerun_script.page_name = self.page
        for key, text in (texts or {}).items():
            state = message.rerun_script.widget_states.widgets.add()
            state.id, state.string_value = self.widget(key), text
        if press:
            state = message.rerun_script.widget_states.widgets.add()
            state.id, state.trigger_value = self.widget(press), True
        message.rerun_script.widget_states.SetInParent()
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())
        await asyncio.wait_for(self._read(), PATIENCE)

    def widget(self, key: str) -> str:
        """The id of the widget on screen that has this key."""
        return next(one for one in self.widgets if one.endswith(f"-{key}"))

    def key(self, beginning: str) -> str | None:
        """The key on screen that begins so, or None."""
        for one in self.widgets:
            place = one.find(f"-{beginning}")
            if place >= 0:
                return one[place + 1 :]
        return None

    async def _read(self) -> None:
        assert self._socket is not None
        while True:
            frame = await self._socket.recv()
            assert isinstance(frame, bytes)
            self.frames.append(frame)
            if self._take(ForwardMsg.FromString(frame)):
                return

    def _take(self, message: ForwardMsg) -> bool:
        """Take one message in; True where it ends the run."""
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            message = self._cache[message.ref_hash]
            kind = message.WhichOneof("type")
        elif message.metadata.cacheable and message.hash:
            self._cache[message.hash] = message
        if kind == "new_session":
            self.widgets.clear()
            self.errors.clear()
        elif kind == "delta":
            self._draw(message)
        elif kind == "script_finished":
            return message.script_finished not in (GOES_ON,)
        return False

    def _draw(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind in ("button", "text_area"):
            self.widgets.add(getattr(element, kind).id)
        elif kind == "exception":
            self.errors.append(element.exception.message)
        elif kind == "alert":
            self.errors.append(element.alert.body)


def cookie(name: str, value: str) -> str:
    """The header that carries one cookie."""
    return f"{name}={quote(value, safe='')}"
