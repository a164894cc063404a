import Testing

@testable import StreamsHTTP

@Suite struct ProgressTests {
    private func admitted(
        _ steps: [Int64], of total: Int64?, _ granularity: RequestOptions.ProgressGranularity = .fraction(0.01),
        final: Int64? = nil
    ) -> [Int64] {
        var throttle = ProgressThrottle(granularity)
        var told = steps.compactMap { throttle.admit(TransferProgress(completed: $0, total: total))?.completed }
        if let final, let last = throttle.admit(TransferProgress(completed: final, total: total), isFinal: true) {
            told.append(last.completed)
        }
        return told
    }

    @Test func progressIsToldInSteps() {
        #expect(admitted([1, 5, 10, 11, 20, 30, 999, 1000], of: 1000) == [1, 11, 30, 999, 1000])
    }

    @Test func progressNeverFallsBack() {
        #expect(admitted([500, 100, 400, 600], of: 1000) == [500, 600])
    }

    @Test func theEndIsTold() {
        #expect(admitted([500], of: 1000, final: 505) == [500, 505])
        #expect(admitted([1000], of: 1000, final: 1000) == [1000])
        #expect(admitted([], of: 0, final: 0) == [0])
    }

    @Test func unknownExtentIsToldByBytes() {
        #expect(admitted([1, 1000, 65_537, 65_540, 200_000], of: nil) == [1, 65_537, 200_000])
        #expect(admitted([1, 2, 3], of: nil, .everyChunk) == [1, 2, 3])
    }

    @Test func fractionsAreHonest() {
        #expect(TransferProgress(completed: 5, total: nil).fraction == nil)
        #expect(TransferProgress(completed: 5, total: 10).fraction == 0.5)
        #expect(TransferProgress(completed: 0, total: 0).fraction == 1)
        #expect(TransferProgress(completed: 11, total: 10).fraction == 1)
    }
}
