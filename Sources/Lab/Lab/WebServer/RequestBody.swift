// SPDX-License-Identifier: Apache-2.0

/// The body of one request as it arrives, in pieces of whatever size; a route's handler reads it
/// (`HTTPRequest.body`).
///
/// Nothing is read from the socket ahead of the reader by more than a few pieces, so a slow reader
/// slows the client down and costs no memory. It can be read once. Throws `HTTPFailure` 413 past
/// the route's limit, and 400 when the client goes away before the end.
package struct RequestBody: AsyncSequence {
    /// Bytes, never empty.
    package typealias Element = [UInt8]

    let source: BodySource

    /// The number of bytes the client announced, or nil for a chunked body.
    var announcedLength: Int? { source.announcedLength }

    /// All of it in memory; throws `HTTPFailure` 413 when it is longer than `limit` bytes.
    package func collect(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in self {
            guard bytes.count + piece.count <= limit else { throw BodySource.tooLong(limit) }
            bytes += piece
        }
        return bytes
    }

    /// A body can be read once.
    package func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    package struct Iterator: AsyncIteratorProtocol {
        let source: BodySource

        package mutating func next() async throws -> [UInt8]? { try await source.next() }
    }
}
