/// The events that a subscriber uses. The others are not created.
enum EventFilter {
    case all
    /// All but progress.
    case content
    /// Progress, the response and the completion.
    case progress
    /// The response and the completion.
    case response
}
