import StreamsHTTP
import StreamsTesting
import Testing

private enum TestError: Error {
    case failed
}

private typealias Recorder<Value> = RecordingSubscriber<Value, any Error>
private typealias Probe = ProbePublisher<Data, TestError>

@Suite struct FramingOperatorTests {
    private struct Item: Decodable, Equatable {
        let n: Int
    }

    private func chunks(_ text: String, of size: Int) -> Publishers.Sequence<[Data], TestError> {
        let bytes = Data(text.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        return Publishers.Sequence(sequence: chunks)
    }

    private func values<P: Publisher>(
        of publisher: P, demand: Subscribers.Demand, perValue: Subscribers.Demand
    ) -> [P.Output] where P.Failure == any Error {
        let checker = ContractChecker()
        let recorder = Recorder<P.Output>(initialDemand: demand, demandPerValue: perValue)
        publisher.checkingContract(with: checker).subscribe(recorder)
        for _ in 0..<100 where recorder.completion == nil { recorder.request(.max(1)) }
        #expect(checker.breaches == [])
        #expect(recorder.violations == [])
        guard case .finished? = recorder.completion else {
            Issue.record("the stream has not finished: \(recorder.transcript)")
            return []
        }
        return recorder.values
    }

    @Test(arguments: [1, 2, 3, 5, 8, 100])
    func deliversTheSameForEachSplitAndDemand(size: Int) {
        let text = "{\"n\":1}\n\r\n {\"n\":2}\r\n  \n{\"n\":3}"
        let events = ": x\ndata: a\n\nid: 1\n\ndata: b\ndata: c\n\ndata: unfinished\n"
        for (demand, perValue): (Subscribers.Demand, Subscribers.Demand) in [
            (.unlimited, .none), (.max(1), .max(1)), (.max(1), .none), (.none, .none), (.max(2), .unlimited),
        ] {
            let lines = values(of: chunks(text, of: size).lines(), demand: demand, perValue: perValue)
            #expect(lines == ["{\"n\":1}", "", " {\"n\":2}", "  ", "{\"n\":3}"])
            let items = values(
                of: chunks(text, of: size).decode(eachLineAs: Item.self), demand: demand, perValue: perValue)
            #expect(items == [Item(n: 1), Item(n: 2), Item(n: 3)])
            let received = values(
                of: chunks(events, of: size).serverSentEvents(), demand: demand, perValue: perValue)
            #expect(received == [ServerSentEvent(data: "a"), ServerSentEvent(data: "b\nc", id: "1")])
        }
    }

    @Test func requestsAChunkOnlyWhenNoElementIsLeft() {
        let probe = Probe()
        let recorder = Recorder<String>(initialDemand: .none)
        probe.lines().subscribe(recorder)
        #expect(probe.requests == [])
        recorder.request(.max(2))
        #expect(probe.requests == [.max(1)])
        probe.send(Data("a".utf8))
        #expect(probe.requests == [.max(1), .max(1)])
        probe.send(Data("b\nc\nd\ne\nf".utf8))
        #expect(recorder.values == ["ab", "c"])
        recorder.request(.max(2))
        #expect(recorder.values == ["ab", "c", "d", "e"])
        #expect(probe.requests == [.max(1), .max(1)])
        recorder.request(.max(1))
        #expect(probe.requests == [.max(1), .max(1), .max(1)])
        // A request that is outstanding is enough.
        recorder.request(.max(1))
        #expect(probe.requests == [.max(1), .max(1), .max(1)])
        probe.send(completion: .finished)
        #expect(recorder.values == ["ab", "c", "d", "e", "f"])
        #expect(recorder.completion != nil)
        #expect(probe.cancellations == 0)
    }

    @Test func requestsAllChunksOnceIfAllElementsAreRequested() {
        let probe = Probe()
        let recorder = Recorder<String>(initialDemand: .max(1))
        probe.lines().subscribe(recorder)
        probe.send(Data("a\nb\n".utf8))
        #expect(probe.requests == [.max(1)])
        recorder.request(.unlimited)
        probe.send(Data("c\n".utf8))
        recorder.request(.max(1))
        #expect(recorder.values == ["a", "b", "c"])
        #expect(probe.requests == [.max(1), .unlimited])
    }

    @Test func deliversEachChunkBeforeTheNextIsTaken() {
        let taken = Locked(0)
        let chunks = (0..<100).lazy.map { number in
            taken.withLock { $0 = number }
            return Data("\(number)\n".utf8)
        }
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let recorder = Recorder<String>(initialDemand: demand, demandPerValue: .max(1)) { _, event in
                guard case .value(let text) = event, let number = Int(text) else { return }
                #expect(taken.withLock { $0 } <= number + 1)
            }
            Publishers.Sequence<_, TestError>(sequence: chunks).lines().subscribe(recorder)
            #expect(recorder.values == (0..<100).map { "\($0)" })
        }
    }

    @Test func completesWithoutDemandAfterTheLastElement() {
        let probe = Probe()
        let recorder = Recorder<String>(initialDemand: .max(1))
        probe.lines().subscribe(recorder)
        probe.send(Data("a\nb".utf8))
        probe.send(completion: .finished)
        #expect(recorder.values == ["a"])
        #expect(recorder.completion == nil)
        recorder.request(.max(1))
        #expect(recorder.values == ["a", "b"])
        #expect(recorder.completion != nil)
    }

    @Test func deliversElementsBeforeAFailureOfTheUpstream() throws {
        let probe = Probe()
        let recorder = Recorder<String>(initialDemand: .max(1))
        probe.lines().subscribe(recorder)
        probe.send(Data("a\nb\nunfinished".utf8))
        probe.send(completion: .failure(.failed))
        #expect(recorder.values == ["a"])
        #expect(recorder.completion == nil)
        recorder.request(.max(1))
        #expect(recorder.values == ["a", "b"])
        guard case .failure(let error)? = recorder.completion else {
            Issue.record("there is no failure")
            return
        }
        #expect(error as? TestError == .failed)
        #expect(probe.cancellations == 0)
    }

    @Test func failsForAnElementBeyondTheLimit() {
        let probe = Probe()
        let recorder = Recorder<String>(initialDemand: .max(9))
        probe.lines(maxLength: 3).subscribe(recorder)
        probe.send(Data("abc\nabcd".utf8))
        #expect(recorder.values == ["abc"])
        guard case .failure(let error)? = recorder.completion else {
            Issue.record("there is no failure")
            return
        }
        #expect(error as? FramingError == .elementTooLarge(limit: 3))
        #expect(probe.cancellations == 1)
        #expect(probe.subscriberCount == 0)
    }

    @Test func failsForALineThatCannotBeDecoded() {
        let probe = Probe()
        let recorder = Recorder<Item>()
        probe.decode(eachLineAs: Item.self).subscribe(recorder)
        probe.send(Data("{\"n\":1}\n?\n{\"n\":2}\n".utf8))
        #expect(recorder.values == [Item(n: 1)])
        guard case .failure(let error)? = recorder.completion else {
            Issue.record("there is no failure")
            return
        }
        #expect(error is DecodingError)
        #expect(probe.cancellations == 1)
    }

    @Test func deliversNothingAfterCancellation() {
        let probe = Probe(retention: .always)
        let recorder = Recorder<String>(initialDemand: .unlimited) { recorder, event in
            if case .value("b") = event { recorder.cancel() }
        }
        probe.lines().subscribe(recorder)
        probe.send(Data("a\nb\nc\n".utf8))
        probe.send(Data("d\n".utf8))
        probe.send(completion: .finished)
        #expect(recorder.values == ["a", "b"])
        #expect(recorder.completion == nil)
        #expect(probe.cancellations == 1)
    }

    @Test func keepsChunksThatComeDuringADelivery() {
        let subject = PassthroughSubject<Data, TestError>()
        let recorder = Recorder<String>(initialDemand: .unlimited) { _, event in
            guard case .value(let text) = event, let number = Int(text), number < 5000 else { return }
            subject.send(Data("\(number + 1)\n".utf8))
        }
        subject.lines().subscribe(recorder)
        subject.send(Data("0\n".utf8))
        #expect(recorder.values == (0...5000).map { "\($0)" })
        #expect(recorder.violations == [])
    }

    @Test func losesNothingInAnAsynchronousSequence() async throws {
        let subject = PassthroughSubject<Data, TestError>()
        var lines = subject.lines().values.makeAsyncIterator()
        for number in 0..<100 { subject.send(Data("\(number)\n\(number)".utf8)) }
        subject.send(completion: .finished)
        var received: [String] = []
        while let line = try await lines.next() { received.append(line) }
        let joined = (1..<100).map { "\($0 - 1)\($0)" }
        #expect(received == ["0"] + joined + ["99"])
    }

    @Test func canBeUsedConcurrently() async throws {
        let publisher = chunks((0..<2000).map { "\($0)\n" }.joined(), of: 7).lines()
        for _ in 0..<5 {
            let recorder = Recorder<String>(initialDemand: .none)
            publisher.subscribe(recorder)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { for _ in 0..<500 { recorder.request(.max(1)) } } }
            }
            #expect(recorder.values == (0..<2000).map { "\($0)" })
            #expect(recorder.violations == [])
            #expect(recorder.completion != nil)
        }
    }

    @Test func releasesEverythingAtTheEnd() {
        for ending in 0..<3 {
            let lifetimes = LifetimeTracker()
            let probe = Probe()
            do {
                let recorder = Recorder<String>(initialDemand: .max(1), keepsSubscription: false)
                lifetimes.watch(recorder, as: "downstream")
                probe.lines().subscribe(recorder)
                probe.send(Data("a\n".utf8))
                switch ending {
                case 0: probe.send(completion: .finished)
                case 1: probe.send(completion: .failure(.failed))
                default: recorder.cancel()
                }
            }
            #expect(lifetimes.alive == [])
            #expect(probe.subscriberCount == 0)
        }
    }
}
