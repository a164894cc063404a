/// The failure of the tests' publishers.
enum TestError: Error, Equatable {
    case first
    case second
}
