// SPDX-License-Identifier: Apache-2.0
import Lab
import StandIns

@main enum EntryPoint {
    static func main() { ReceiverProgram.main(StandInOptions.self) }
}
