import StreamsHTTP

@main struct Watch {
    static func main() async {
        do {
            let shop = try openShop()
            let client = HTTPClient(baseURL: URL(string: CommandLine.arguments.dropFirst().first ?? shop.url()))
            var latest = Sales()
            for try await sales in client.sales(until: Operators.Signals(SIGTERM, SIGINT)).values {
                latest = sales
                print("orders: \(sales.count), total: \(sales.total)")
            }
            _ = try await client.response(for: HTTPRequest(.post, "/reports", body: .json(latest)))
            await client.shutdown(deadline: .seconds(5))
        } catch {
            print(error)
            exit(1)
        }
    }
}
