import Foundation
import Testing

/// Feeds of numbered elements without an end, served by sse-starlette and uvicorn.
///
/// `/events` has server-sent events and resumes after `Last-Event-ID`. `/lines` has lines of JSON and resumes after the
/// query's `after`. With `count` in the query, a response ends after so many elements; with `total`, so does the feed. With
/// `hold`, a response has no further element after so many, until its connection ends.
struct FeedServer: Sendable {
    /// One for all tests.
    static let shared = Task { try await FeedServer() }

    /// The interpreter that has the packages, if any.
    static let python = PythonInterpreter.having("sse_starlette", "uvicorn")

    let port: UInt16
    private let process: ServerProcess

    private init() async throws {
        guard let python = Self.python else { throw Program.NotInstalled(name: "sse-starlette") }
        let folder = try ServerFolder("feeds")
        port = try LoopbackPort.free()
        try folder.write(Self.program, to: "feeds.py")
        // Feeds that are still open must not delay its end.
        let options = ["--host=127.0.0.1", "--port=\(port)", "--timeout-graceful-shutdown=1", "--log-level=warning"]
        process = try await ServerProcess(
            ["/usr/bin/env", python, "-m", "uvicorn"] + options + ["feeds:app"], folder: folder.path, port: port)
    }

    /// The text of an element, in two lines.
    static func text(_ number: Int) -> String { "öä€😀 \(number)\nand another line" }

    func url(_ target: String) -> String { "http://127.0.0.1:\(port)\(target)" }

    private static let program = #"""
        import json
        from sse_starlette import EventSourceResponse
        from starlette.applications import Starlette
        from starlette.responses import Response, StreamingResponse
        from starlette.routing import Route

        def text(number):
            return f"öä€😀 {number}\nand another line"

        async def numbers(request, last):
            total = int(request.query_params.get("total") or 1 << 30)
            count = int(request.query_params.get("count") or 1 << 30)
            held = int(request.query_params.get("hold") or 1 << 30)
            for number in range(last + 1, min(last + count, total) + 1):
                if number > last + held:
                    while (await request.receive())["type"] != "http.disconnect":
                        pass
                    return
                yield number

        def has_none_left(request, last):
            return last >= int(request.query_params.get("total") or 1 << 30)

        async def events(request):
            last = int(request.headers.get("last-event-id") or 0)
            if has_none_left(request, last):
                return Response(status_code=204)
            async def body():
                async for number in numbers(request, last):
                    yield {"id": str(number), "event": "number", "data": text(number)}
            return EventSourceResponse(body(), headers={"X-First": str(last + 1)})

        async def lines(request):
            last = int(request.query_params.get("after") or 0)
            if has_none_left(request, last):
                return Response(status_code=204)
            async def body():
                async for number in numbers(request, last):
                    yield json.dumps({"number": number, "text": text(number)}, ensure_ascii=False) + "\n"
            return StreamingResponse(body(), media_type="application/x-ndjson", headers={"X-First": str(last + 1)})

        app = Starlette(routes=[Route("/events", events), Route("/lines", lines)])
        """#
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where sse-starlette is missing, unless the environment has `STREAMS_REQUIRE_SERVERS`.
    static var needsFeedServer: Self {
        .enabled(
            "no sse-starlette and uvicorn, neither in STREAMS_HTTPBIN_PYTHON's interpreter nor in python3's"
        ) { Program.areRequired || FeedServer.python != nil }
    }
}
