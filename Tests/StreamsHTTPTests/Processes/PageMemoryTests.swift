import StreamsHTTP
import StreamsLoopback
import Testing

#if os(Linux)
/// A list of many pages, in a process of its own, so that only its memory counts.
@Suite(.serialized, .reservesDescriptors) struct PageMemoryTests {
    private static let count = 10_000
    /// The most that the pages may add to the memory that as many single requests take. The server keeps a journal of
    /// both.
    private static let allowance = 1 << 20

    @Test func manyPagesTakeConstantMemory() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.on("GET", "/list") { request in
                let page = request.query.flatMap { Int($0.dropFirst("page=".count)) } ?? 1
                return Reply(200, headers: ["Link": "</list?page=\(page + 1)>; rel=\"next\""], body: .text("\(page)"))
            }
            let client = server.client()
            // The first exchanges allocate memory that all later ones use.
            for try await page in client.linkedPages(for: HTTPRequest(.get, "/list")).values where page.number == 100 {
                break
            }
            let single = try await Self.growth {
                for page in 1...Self.count {
                    _ = try await client.response(for: HTTPRequest(.get, "/list?page=\(page)"))
                }
            }
            let paged = try await Self.growth {
                for try await page in client.linkedPages(for: HTTPRequest(.get, "/list")).values
                where page.number == Self.count {
                    break
                }
            }
            #expect(server.requests.count == 100 + 2 * Self.count)
            #expect(
                Memory.isDistorted || paged - single < Self.allowance, "\(paged) bytes, \(single) of single requests")
        }
    }

    /// Returns the growth of the process's memory.
    private static func growth(_ work: () async throws -> Void) async throws -> Int {
        let before = Memory.inUse
        try await work()
        return Memory.inUse - before
    }
}
#endif
