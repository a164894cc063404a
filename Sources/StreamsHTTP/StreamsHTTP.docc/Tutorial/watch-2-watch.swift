import StreamsHTTP

@main struct Watch {
    static func main() async {
        do {
            let shop = try openShop()
            let client = HTTPClient(baseURL: URL(string: shop.url()))
            for try await sales in client.sales().values {
                print("orders: \(sales.count), total: \(sales.total)")
            }
        } catch {
            print(error)
            exit(1)
        }
    }
}
