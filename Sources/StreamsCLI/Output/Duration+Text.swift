extension Duration {
    /// The duration in seconds, rounded to milliseconds, for messages: `1.5 s`.
    var rounded: String {
        "\(((self / .seconds(1)) * 1000).rounded() / 1000) s"
    }
}
