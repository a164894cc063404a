/// The failure of the publishers in tests.
enum TestError: Error, Equatable {
    case first
    case second
}
