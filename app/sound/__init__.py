"""What the bodies can be heard and felt by: impacts strike, what slides hisses, joints that rub creak."""
