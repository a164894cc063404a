/// What the tests fail with.
enum Broken: Error, Equatable {
    case broken
}
