import ExchangingByAsyncHTTPClient

/// Gets one document and ends.
@main
struct One {
    static func main() async throws {
        let exchanger = try AsyncHTTPClientExchanger(connections: 1, version: .http1)
        print(try await exchanger.document(at: CommandLine.arguments[1]))
        await exchanger.shutDown()
    }
}
