/// An error for tests.
enum Oops: Error, Equatable {
    case one
    case two
}
