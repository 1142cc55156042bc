// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Glibc
import Sensors

/// `studyd decode`: what the decoders make of a file.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decodes what a device sent.", subcommands: [NMEA.self])

    struct NMEA: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "nmea", abstract: "Prints the fixes of an NMEA log, one JSON object per epoch.",
            discussion: "Example: studyd decode nmea receiver.log")
        @Argument(help: "The file; - or nothing: standard input.")
        var file = "-"
        @OptionGroup var common: CommonOptions

        func run() throws {
            let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileFault(path: file, message: String(cString: strerror(errno))) }
            var framer = NMEAFramer()
            var epochs = NMEAEpochs()
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                for sentence in framer.append(chunk[..<count]) {
                    if let fix = epochs.append(sentence) { Output.line(fix.json) }
                }
            }
            if let fix = epochs.flush() { Output.line(fix.json) }
        }
    }
}
