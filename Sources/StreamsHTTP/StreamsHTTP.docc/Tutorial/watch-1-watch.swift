import StreamsHTTP

@main struct Watch {
    static func main() async {
        do {
            let shop = try openShop()
            let client = HTTPClient(baseURL: URL(string: shop.url()))
            let order = try await client.value(for: HTTPRequest(.get, "/orders/latest").decoding(Order.self))
            print("order \(order.number): \(order.total)")
        } catch {
            print(error)
            exit(1)
        }
    }
}
