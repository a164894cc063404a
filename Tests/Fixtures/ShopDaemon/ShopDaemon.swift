#if canImport(CLibcurl)
import Dispatch
import StreamsHTTP

/// Follows the orders, payments and levels of a shop, and prints its state at most once a second.
@main struct ShopDaemon {
    struct Settings: Decodable { let server: String, pollSeconds: Double }
    struct Order: Decodable, Equatable { let number: Int, total: Int }
    struct Payment: Decodable { let number: Int, amount: Int }
    struct Level: Decodable { let value: Int }

    struct State {
        var lastOrder = "", recentOrders: [Order] = [], lastPayment: Int?, due = 0
        var levels: [String: Int] = [:], failures: [String: String] = [:]

        mutating func add(_ order: Order, id: String) {
            guard !recentOrders.contains(order) else { return }
            (lastOrder, recentOrders, due) = (id, recentOrders.suffix(99) + [order], due + order.total)
        }

        mutating func add(_ payment: Payment) {
            guard payment.number > lastPayment ?? .min else { return }
            (lastPayment, due) = (payment.number, due - payment.amount)
        }
    }
    struct Update { let apply: @Sendable (inout State) -> Void }

    let client = HTTPClient(), queue = DispatchQueue(label: "shop")
    let settings = PassthroughSubject<Settings, Never>()
    let state = CurrentValueSubject<State, Never>(State())

    static func main() async { await ShopDaemon().run() }

    func run() async {
        var signals = Operators.Signals(SIGHUP, SIGTERM, SIGINT).values.makeAsyncIterator()
        async let printing: Void = printState()
        let updates = settings.receive(on: queue).flatMapLatest { follow($0).receive(on: queue) }
            .sink(receiveCompletion: { _ in state.send(completion: .finished) }) { update in
                state.update { update.apply(&$0) }
            }
        repeat { reload() } while await signals.next() == SIGHUP
        settings.send(completion: .finished)
        await client.shutdown(deadline: .seconds(5))
        await printing
        updates.cancel()
    }

    func reload() {
        state.update { $0.failures = [:] }
        do {
            let path = CommandLine.arguments.dropFirst().first ?? "shop.json"
            settings.send(try JSONDecoder().decode(Settings.self, from: Data(contentsOf: URL(filePath: path))))
        } catch {
            state.update { $0.failures["settings"] = "\(error)" }
        }
    }

    func follow(_ settings: Settings) -> some Publisher<Update, Never> {
        func request(_ path: String) -> HTTPRequest { HTTPRequest(.get, "\(settings.server)/\(path)") }
        let orders = client.serverSentEvents(of: Order.self, for: request("orders"), lastEventID: state.value.lastOrder)
            .map { order in Update { $0.add(order.data, id: order.id) } }
            .catch { error in Just(Update { $0.failures["orders"] = error.name }) }
        var cursor = Feed<Payment>.Cursor.query("after") { "\($0.number)" }
        cursor.start = state.value.lastPayment.map { "\($0)" }
        let payments = client.jsonLines(of: Payment.self, for: request("payments"), cursor: cursor)
            .map { payment in Update { $0.add(payment) } }
            .catch { error in Just(Update { $0.failures["payments"] = error.name }) }
        let levels = ["rates", "stock", "visitors"].map { name in
            client.changes(for: request(name).decoding(Level.self), every: .seconds(settings.pollSeconds))
                .map { level in Update { $0.levels[name] = level.value } }
                .catch { error in Just(Update { $0.failures[name] = error.name }) }
        }
        return Publishers.MergeMany(levels).merge(with: orders, payments)
    }

    func printState() async {
        let states = state.throttle(for: .seconds(1), scheduler: DispatchQueue.global(), latest: true)
        for await state in states.values {
            let levels = state.levels.merging(["due": state.due]) { $1 }.map { "\($0)=\($1)" }
            let line = (levels + state.failures.map { "\($0): \($1)" }).sorted().joined(separator: " ") + "\n"
            // At once, also to a pipe, for which `print` waits until it has some KiB.
            write(STDOUT_FILENO, line, line.utf8.count)
        }
    }
}
#else
@main struct ShopDaemon {
    static func main() { print("A client of StreamsHTTP alone needs libcurl.") }
}
#endif
