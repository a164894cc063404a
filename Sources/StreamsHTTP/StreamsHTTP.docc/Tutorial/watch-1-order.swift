/// An order, as the shop sends it.
struct Order: Decodable, Sendable {
    let number: Int
    let total: Int
}
