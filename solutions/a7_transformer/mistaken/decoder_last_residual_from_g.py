"""The student numbers the results and adds the wrong one."""


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        states = [x]
        n = self.norm_1(states[0])
        states.append(states[0] + self.self_attention(n, n, n, target_mask))
        states.append(states[1] + self.cross_attention(self.norm_2(states[1]), memory, memory, memory_mask))
        states.append(states[1] + self.feed_forward(self.norm_3(states[2])))
        return states[-1]
