import Testing

// The former names of helpers, for tests that still use them.

typealias Ledger = RecordingSubscription
typealias PromptNumbers = SynchronousNumbers

func elsewhere(sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void) {
    onAnotherThread(sourceLocation: sourceLocation, body)
}
