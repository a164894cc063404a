/// An error that shows as a word.
enum Mishap: Error, Equatable, CustomStringConvertible {
    case first
    case second

    var description: String { self == .first ? "first" : "second" }
}
