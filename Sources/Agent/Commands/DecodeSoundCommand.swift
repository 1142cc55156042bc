// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser

/// How this program starts itself to decode a study's sound in a separate process, for `SoundDecoder`. Not for
/// people.
package struct DecodeSoundCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: SoundDecoder.verb, abstract: "Decode a sound to WAV.", shouldDisplay: false)

    @Argument(help: "MP3, Ogg, FLAC, WAV.")
    var source: String
    @Argument(help: "The WAV file.")
    var target: String

    package init() {}

    package func run() throws { try SoundDecoding.run(source, into: target) }
}
