import StreamsHTTP
import Testing

@testable import StreamsTests

/// The laws of the core's operators, for those that split bytes into elements.
@Suite("The rules, for operators that split bytes", .serialized)
struct FramingOperatorLaws {
    private static let operators: [OperatorCase] = [
        OperatorCase("lines(maxLength:)") { upstream, context in
            upstream.map { Data("\(context.passing($0))\n".utf8) }.lines().map { Int($0) ?? -1 }.restoringLawError()
        },
        OperatorCase("serverSentEvents(maxEventSize:)") { upstream, context in
            upstream.map { Data("data: \(context.passing($0))\n\n".utf8) }.serverSentEvents()
                .map { Int($0.data) ?? -1 }.restoringLawError()
        },
        OperatorCase("decode(eachLineAs:using:maxLength:)") { upstream, context in
            upstream.map { Data("\(context.passing($0))\n".utf8) }.decode(eachLineAs: Int.self).restoringLawError()
        },
    ]

    @Test("An operator obeys the laws", arguments: operators, Law.all)
    func obeys(_ operatorCase: OperatorCase, _ law: Law) async throws {
        try await law.apply(to: operatorCase)
    }
}
