// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Device
import Glibc
import SystemKit

/// `studyd decode`: prints what studyd's decoders read from a file.
package struct DecodeCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode the raw output of a device.",
        discussion: "Example: studyd decode nmea receiver.log", subcommands: [NMEA.self])

    package init() {}

    package struct NMEA: ParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "nmea", abstract: "Print the fixes in an NMEA log, one JSON object per epoch.",
            discussion: "Example: studyd decode nmea receiver.log")
        @Argument(help: "The file to read; - for standard input.")
        var file = "-"
        @OptionGroup var unused: UnusedOptions

        package init() {}

        package func run() throws {
            let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileError.last(file) }
            var framer = NMEAFramer()
            var epochs = NMEAEpochs()
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while let count = try Self.read(descriptor, into: &chunk) {
                // A live receiver pauses after the last sentence of an epoch: print the epoch now.
                if count == 0, let fix = epochs.flush() { Output.line(fix.json) }
                framer.append(chunk.span.extracting(..<count)) { sentence in
                    if let fix = epochs.append(sentence) { Output.line(fix.json) }
                }
            }
            if let fix = epochs.flush() { Output.line(fix.json) }
        }

        /// How many bytes came; 0 when none did for 0.4 s, nil at the end.
        private static func read(_ descriptor: CInt, into chunk: inout [UInt8]) throws -> Int? {
            while true {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if poll(&waiting, 1, 400) == 0 { return 0 }
                let count = Glibc.read(descriptor, &chunk, chunk.count)
                if count > 0 { return count }
                guard count < 0 else { return nil }
                guard errno == EINTR || errno == EAGAIN else { throw FileError.last("the input") }
            }
        }
    }
}
