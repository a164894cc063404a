/// A namespace for the publishers and their settings that Combine does not have.
///
/// ``Publishers`` holds exactly what Combine's namespace of that name holds. So an extension of a program that adds a
/// type of its own there, such as `Publishers.ShareReplay`, never collides with one of this library.
public enum Operators {}
