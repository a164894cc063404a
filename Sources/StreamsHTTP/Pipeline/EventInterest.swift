/// What a subscriber looks at, so that the rest need not even be made.
enum EventInterest {
    case everything
    /// Progress, and what it comes to.
    case progress
    /// What it comes to.
    case answer
}
