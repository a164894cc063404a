import StreamsHTTP

extension OperatorCase {
    /// The operators of StreamsHTTP that split bytes into elements.
    static let framing: [OperatorCase] = [
        OperatorCase("lines(maxLength:)") { upstream, context in
            upstream.map { Data("\(context.passing($0))\n".utf8) }.lines().compactMap { Int($0) }.restoringLawError()
        },
        OperatorCase("serverSentEvents(maxEventSize:)") { upstream, context in
            upstream.map { Data("data: \(context.passing($0))\n\n".utf8) }.serverSentEvents()
                .compactMap { Int($0.data) }.restoringLawError()
        },
        OperatorCase("decode(eachLineAs:using:maxLength:)") { upstream, context in
            upstream.map { Data("\(context.passing($0))\n".utf8) }.decode(eachLineAs: Int.self).restoringLawError()
        },
    ]
}
