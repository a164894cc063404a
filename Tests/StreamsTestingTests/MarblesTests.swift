import Streams
import StreamsTesting
import Testing

@Suite("Marble diagrams")
struct MarblesTests {
    private static func moment(_ frame: Int, _ mark: Marbles.Mark) -> Marbles.Moment {
        Marbles.Moment(frame: frame, mark: mark)
    }

    @Test("A character and a group are one frame each, and spaces are none")
    func frames() throws {
        let marbles = try Marbles("-a -(bc|)-")
        let expected = [
            Self.moment(1, .value("a")), Self.moment(3, .value("b")), Self.moment(3, .value("c")),
            Self.moment(3, .finish),
        ]
        #expect(marbles.moments == expected)
        #expect(marbles.frameCount == 5)
    }

    @Test("Frames count from the subscription")
    func subscription() throws {
        let marbles = try Marbles("a-^-b#-!")
        let expected = [
            Self.moment(-2, .value("a")), Self.moment(2, .value("b")), Self.moment(3, .failure),
            Self.moment(5, .cancellation),
        ]
        #expect(marbles.moments == expected)
    }

    @Test("The description is the diagram's text", arguments: ["", "---", "-a-(bc)-|", "a-^-b#", "(^a)-!-"])
    func description(_ diagram: String) throws {
        let written = diagram == "(^a)-!-" ? "a-!-" : diagram
        #expect(try Marbles(diagram).description == written)
    }

    @Test(
        "An invalid diagram throws the kind and the place of the error",
        arguments: [
            ("(a(b", MarblesError.Problem.groupInGroup, 2), ("a)", .groupNotOpened, 1), ("-(a", .groupNotClosed, 3),
            ("(a-", .timeInGroup, 2), ("^-^", .secondSubscription, 2), ("-|-a", .afterEnd, 3), ("#|", .afterEnd, 1),
            ("!!", .secondCancellation, 1),
        ])
    func errors(_ diagram: String, _ problem: MarblesError.Problem, _ offset: Int) {
        let error = #expect(throws: MarblesError.self) { try Marbles(diagram) }
        #expect(error?.problem == problem)
        #expect(error?.offset == offset)
    }

    @Test("The description of an error points at the place")
    func errorDescription() {
        let error = #expect(throws: MarblesError.self) { try Marbles("-|-a") }
        #expect(error?.description == "something of the stream after its end\n-|-a\n   ↑")
    }
}
